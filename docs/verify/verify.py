"""Checks statements and bundles of hostprobe without its code: Python 3.9, PyJWT and cryptography.

    python3 verify.py statement <statement> <keys.json> <issuer> <origin> [seconds since 1970]
    python3 verify.py bundle <bundle> <root>
    python3 verify.py line <line.json> <root>
    python3 verify.py vectors <vectors.json>
"""
import base64
import hashlib
import json
import re
import sys
import time

from jwt.algorithms import OKPAlgorithm

# How many arguments each check needs.
NEEDED = {"statement": 4, "bundle": 2, "line": 2, "vectors": 1}
WITHHELD = ("private_key", "opt_out", "legal")
# A header has exactly these three fields. No other field may let a token choose its own key or rules.
HEADER = re.compile(r'\{"alg":"([^"\\]*)","typ":"([^"\\]*)","kid":"([^"\\]*)"\}')
HASH = re.compile("[0-9a-f]{64}")
# The end of the year 9999, in seconds since 1970.
LAST_TIME = 253402300799
# The deepest nesting to read, and the maximum number of lines under a root. hostprobe writes less.
MAX_DEPTH = 128
MAX_LINES = 9999


def bytes_of(text):
    """The bytes, or None if the text is not their canonical base64."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars="-_", validate=True)
    except ValueError:
        return None
    return data if base64.urlsafe_b64encode(data).rstrip(b"=").decode() == text else None


def text_in(data):
    """The text, or None for bytes that are not UTF-8."""
    try:
        return None if data is None else data.decode("utf-8")
    except ValueError:
        return None


def refuse(constant):
    raise ValueError(constant + " is no JSON")


def object_in(text):
    """Parses a JSON object that is not nested too deeply. None for anything else."""
    try:
        value = json.loads(text, parse_int=float, parse_constant=refuse)
    except (ValueError, TypeError, RecursionError):
        return None
    depth = 0
    for mark in re.findall(r"""[\[\]{}]""", re.sub(r'"[^"\\]*(?:\\.[^"\\]*)*"', "", text)):
        depth += 1 if mark in "[{" else -1
        if depth > MAX_DEPTH:
            return None
    return value if isinstance(value, dict) else None


def whole(value, least, most):
    return type(value) in (int, float) and least <= value <= most and value == int(value)


def signed(text, signature, key):
    try:
        public = OKPAlgorithm.from_jwk(json.dumps({name: key.get(name) for name in ("kty", "crv", "x")}))
        return OKPAlgorithm().verify(text.encode(), public, signature)
    except Exception:  # an invalid key
        return False


def statement(token, keys, issuer, origin, now=None):
    """'ok', or why the statement is rejected. Reads nothing in it before the signature is verified."""
    now = time.time() if now is None else now
    if len(token) > 4096 or not re.fullmatch(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}", token):
        return "not_a_statement"
    head, payload, signature = token.split(".")
    header = HEADER.fullmatch(text_in(bytes_of(head)) or "")
    if header is None:
        return "header"
    alg, typ, kid = header.groups()
    if typ != "hostprobe-report+jwt":
        return "typ"
    if alg not in ("EdDSA", "Ed25519"):
        return "alg"
    key = next((one for one in keys["keys"] if one.get("kid") == kid), None)
    if key is None:
        return "unknown_kid"
    sealed = bytes_of(signature)
    if sealed is None or not signed(head + "." + payload, sealed, key):
        return "signature"
    claims = object_in(text_in(bytes_of(payload)))
    if claims is None or not isinstance(claims.get("sub"), str):
        return "payload"
    if not all(whole(claims.get(name), 0, LAST_TIME) for name in ("iat", "exp")):
        return "payload"
    if claims.get("iss") != issuer:
        return "issuer"
    if claims["iat"] >= key.get("hostprobe:iat_before", float("inf")):
        return "key_retired"
    if claims["iat"] > now + 60:
        return "from_the_future"
    if now >= claims["exp"]:
        return "stale"
    return "ok" if claims["sub"] == origin else "subject"


def sha256(*pieces):
    return hashlib.sha256(b"".join(pieces)).digest()


def leaf(line):
    return sha256(b"\x00", line)


def node(left, right):
    return sha256(b"\x01", left, right)


def root_of(leaves):
    if len(leaves) == 1:
        return leaves[0]
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return node(root_of(leaves[:half]), root_of(leaves[half:]))


def root_in(text):
    """Converts a root to hex. Statements contain it in base64url."""
    return (bytes_of(text) or b"").hex() if len(text) == 43 else text.lower()


def bundle(text, root):
    """'ok', or which part of the bundle was changed. A missing or withheld body is no fault."""
    if not text.endswith("\n"):
        return "malformed"
    lines = text[:-1].split("\n")
    count = (object_in(lines[0]) or {}).get("lines")
    if not whole(count, 1, min(len(lines), MAX_LINES)):
        return "malformed"
    count = int(count)
    if root_of([leaf(line.encode()) for line in lines[:count]]).hex() != root_in(root):
        return "root"
    named = []
    for one in map(object_in, lines[1:count]):
        kept = None if one is None else one.get("kept", one)
        if not isinstance(kept, dict) or (kept is not one and not isinstance(kept.get("sha256"), str)):
            return "malformed"
        if kept.get("sha256") not in named:
            named.append(kept.get("sha256"))
    for line in lines[count:]:
        # Each at most once, in the order in which the lines refer to them.
        fault, body = read_body(line)
        if fault or body not in named:
            return fault or "body"
        named = named[named.index(body) + 1 :]
    return "ok"


def read_body(line):
    """What is wrong with the line of a body, and its hash. A body has one canonical form: text if its bytes are UTF-8."""
    one = object_in(line) or {}
    body, what = one.pop("body", None), next(iter(one), None)
    value = one.get(what)
    if not isinstance(body, str) or not HASH.fullmatch(body) or len(one) != 1 or not isinstance(value, str):
        return "malformed", None
    if what not in ("text", "base64", "withheld") or (what == "withheld" and value not in WITHHELD):
        return "malformed", None
    if what != "withheld":
        if what == "text":
            data = value.encode("utf-8", "surrogatepass")
        else:
            data = bytes_of(value.rstrip("=").replace("+", "-").replace("/", "_"))
        if data is None or sha256(data).hex() != body:
            return "body", None
        text = text_in(data)
        one = {"base64": base64.b64encode(data).decode()} if text is None else {"text": text}
    plain = json.dumps({"body": body, **one}, ensure_ascii=False, separators=(",", ":"))
    return None if plain == line else "body", body


def line(included, root):
    """True if a line is under a root (RFC 9162 section 2.1.3.2)."""
    text, index, size, path = (included.get(name) for name in ("line", "index", "size", "path"))
    if not isinstance(text, str) or not isinstance(path, list):
        return "root"
    if not all(isinstance(one, str) and HASH.fullmatch(one) for one in path):
        return "root"
    if not whole(size, 0, 2**53 - 1) or not whole(index, 0, size - 1):
        return "root"
    at, last, value = int(index), int(size) - 1, leaf(re.sub("[\ud800-\udfff]", "\ufffd", text).encode())
    for sibling in map(bytes.fromhex, path):
        if last == 0:
            return "root"
        if at % 2 == 1 or at == last:
            value = node(sibling, value)
            while at % 2 == 0 and at != 0:
                at, last = at // 2, last // 2
        else:
            value = node(value, sibling)
        at, last = at // 2, last // 2
    return "ok" if last == 0 and value.hex() == root_in(root) else "root"


def vector(one, keys):
    if one["kind"] == "statement":
        return statement(one["statement"], keys, one["issuer"], one["origin"], one["now"])
    return bundle(one["bundle"], one["root"]) if one["kind"] == "bundle" else line(one["line"], one["root"])


def read(path):
    """A file that is not UTF-8 is read as empty."""
    with open(path, "rb") as file:
        return text_in(file.read()) or ""


def vectors(published):
    results = [(one, vector(one, published["keys"])) for one in published["cases"]]
    wrong = [(one["name"], result) for one, result in results if result != one["expected"]]
    for name, result in wrong:
        print("wrong: %s: %s" % (name, result))
    print("%d of %d vectors" % (len(results) - len(wrong), len(results)))
    return not wrong


def main(what, path, *more):
    text = read(path)
    if what == "vectors":
        return vectors(json.loads(text))
    if what == "statement":
        now = float(more[3]) if len(more) > 3 else None
        result = statement(text.strip(" \t\r\n"), json.loads(read(more[0])), more[1], more[2], now)
    else:
        result = bundle(text, more[0]) if what == "bundle" else line(object_in(text) or {}, more[0])
    print(result)
    return result == "ok"


if __name__ == "__main__":
    if len(sys.argv) < 3 or len(sys.argv) - 2 < NEEDED.get(sys.argv[1], len(sys.argv)):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    sys.exit(0 if main(*sys.argv[1:]) else 9)
