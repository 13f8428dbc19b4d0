// Checks statements and bundles of hostprobe without its code: Node.js 20 or newer; no dependency.
const USAGE = `usage:
  node verify.mjs statement <statement> <keys.json> <issuer> <origin> [seconds since 1970]
  node verify.mjs bundle <bundle> <root>
  node verify.mjs line <line.json> <root>
  node verify.mjs report <bundle> <statement> <keys.json> <issuer> [report.json]
  node verify.mjs vectors <vectors.json>`;
/** How many arguments each of them needs. */
const NEEDED = { statement: 4, bundle: 2, line: 2, report: 4, vectors: 1 };

const { subtle } = globalThis.crypto;
const utf8 = (text) => new TextEncoder().encode(text);
const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const bytesIn = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const raw = (binary) => Uint8Array.from(binary, (char) => char.charCodeAt(0));
const isHash = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** The text, or undefined for bytes that are not UTF-8. */
export function textIn(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function sha256(...pieces) {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  pieces.reduce((at, piece) => (whole.set(piece, at), at + piece.length), 0);
  return new Uint8Array(await subtle.digest('SHA-256', whole));
}
const leaf = (line) => sha256([0], utf8(line));
const node = (left, right) => sha256([1], left, right);

const binaryOf = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

/** The bytes, or undefined if the text is not their canonical base64. */
function fromBase64url(text) {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  const padded = standard + '='.repeat((4 - (text.length % 4)) % 4);
  try {
    const binary = atob(padded);
    return btoa(binary) === padded ? raw(binary) : undefined;
  } catch {
    return undefined;
  }
}

/** Converts a root to hex. Statements contain it in base64url. */
const rootIn = (text) => (text.length === 43 ? hexOf(fromBase64url(text) ?? []) : text.toLowerCase());

/** The deepest nesting of brackets to read. Statements and bundles have less. */
const MAX_DEPTH = 128;

/** Parses a JSON object that is not nested too deeply. Undefined for anything else. */
function objectIn(json) {
  try {
    const value = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    let depth = 0;
    for (const [mark] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g)) {
      if (mark === '{' || mark === '[') depth += 1;
      else if (mark === '}' || mark === ']') depth -= 1;
      if (depth > MAX_DEPTH) return undefined;
    }
    return value;
  } catch {
    return undefined;
  }
}

async function isSigned(text, signature, { kty, crv, x }) {
  try {
    const key = await subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']);
    return await subtle.verify('Ed25519', key, fromBase64url(signature), utf8(text));
  } catch (error) {
    if (!subtle || error.name === 'NotSupportedError') throw new Error('this program cannot check Ed25519');
    return false;
  }
}

/** A header has exactly these three fields. No other field may let a token choose its own key or rules. */
const HEADER = /^\{"alg":"([^"\\]*)","typ":"([^"\\]*)","kid":"([^"\\]*)"\}$/;

/** The end of the year 9999, in seconds since 1970. */
const LAST_TIME = 253402300799;
const isTime = (value) => Number.isInteger(value) && value >= 0 && value <= LAST_TIME;

/** The claims, or why the statement is rejected (`fault`). Reads nothing in it before the signature is verified. */
export async function claims(token, keys, issuer) {
  if (token.length > 4096 || !/^[\w-]+\.[\w-]+\.[\w-]{86}$/.test(token)) return { fault: 'not_a_statement' };
  const [head, payload, signature] = token.split('.');
  const header = HEADER.exec(textIn(fromBase64url(head) ?? []));
  if (!header) return { fault: 'header' };
  const [, alg, typ, kid] = header;
  if (typ !== 'hostprobe-report+jwt') return { fault: 'typ' };
  if (alg !== 'EdDSA' && alg !== 'Ed25519') return { fault: 'alg' };
  const key = keys.keys.find((one) => one.kid === kid);
  if (!key) return { fault: 'unknown_kid' };
  if (!(await isSigned(`${head}.${payload}`, signature, key))) return { fault: 'signature' };
  const said = objectIn(textIn(fromBase64url(payload) ?? []));
  if (!said || !isTime(said.iat) || !isTime(said.exp) || typeof said.sub !== 'string') return { fault: 'payload' };
  if (said.iss !== issuer) return { fault: 'issuer' };
  return said.iat >= (key['hostprobe:iat_before'] ?? Infinity) ? { fault: 'key_retired' } : { claims: said };
}

/** 'ok', or why the statement is rejected. The keys are those of an issuer that you chose. */
export async function statement(token, keys, issuer, origin, now = Date.now() / 1000) {
  const { fault, claims: said } = await claims(token, keys, issuer);
  if (fault) return fault;
  if (said.iat > now + 60) return 'from_the_future';
  if (now >= said.exp) return 'stale';
  return said.sub === origin ? 'ok' : 'subject';
}

/** Builds the tree of RFC 9162 section 2.1 level by level. A node without a sibling moves up. */
async function rootOf(level) {
  if (level.length < 2) return level[0];
  const above = [];
  for (let at = 0; at < level.length; at += 2)
    above.push(at + 1 < level.length ? await node(level[at], level[at + 1]) : level[at]);
  return rootOf(above);
}

/** Maximum number of lines under a root. */
const MAX_LINES = 9999;

/** 'ok', or which part of the bundle was changed. A missing or withheld body is no fault. */
export async function bundle(text, root) {
  if (!text.endsWith('\n')) return 'malformed';
  const lines = text.slice(0, -1).split('\n');
  const count = objectIn(lines[0])?.lines;
  if (!Number.isInteger(count) || count < 1 || count > Math.min(lines.length, MAX_LINES)) return 'malformed';
  const computed = await rootOf(await Promise.all(lines.slice(0, count).map(leaf)));
  if (hexOf(computed) !== rootIn(root)) return 'root';
  const exchanges = lines.slice(1, count).map(objectIn);
  if (exchanges.some((one) => !one || ('kept' in one && typeof one.kept?.sha256 !== 'string'))) return 'malformed';
  const named = [...new Set(exchanges.map((one) => (one.kept ?? one).sha256))];
  let last = -1;
  for (const line of lines.slice(count)) {
    const { fault, body } = await readBody(line);
    // Each at most once, in the order in which the lines refer to them.
    const at = named.indexOf(body, last + 1);
    if (fault || at < 0) return fault ?? 'body';
    last = at;
  }
  return 'ok';
}

/** The hash of a body, and what is wrong with its line. A body has one canonical form: text if its bytes are UTF-8. */
async function readBody(line) {
  const { body, ...of } = objectIn(line) ?? {};
  const [[what, value] = [], ...more] = Object.entries(of);
  if (!isHash(body) || typeof value !== 'string' || more.length > 0) return { fault: 'malformed' };
  const spelled = (as) => (JSON.stringify({ body, ...as }) === line ? {} : { fault: 'body' });
  if (what === 'withheld') {
    const isReason = ['private_key', 'opt_out', 'legal'].includes(value);
    return { body, ...(isReason ? spelled(of) : { fault: 'malformed' }) };
  }
  if (what !== 'text' && what !== 'base64') return { fault: 'malformed' };
  const bytes = what === 'text' ? utf8(value) : fromBase64url(value.replace(/=+$/, ''));
  if (!bytes || hexOf(await sha256(bytes)) !== body) return { fault: 'body' };
  const text = textIn(bytes);
  return { body, ...spelled(text === undefined ? { base64: btoa(binaryOf(bytes)) } : { text }) };
}

/** True if a line is under a root (RFC 9162 section 2.1.3.2). */
export async function line({ line, index, size, path }, root) {
  if (typeof line !== 'string' || !Array.isArray(path) || !path.every(isHash)) return 'root';
  if (![index, size].every(Number.isSafeInteger) || index < 0 || index >= size) return 'root';
  let [at, last, hash] = [index, size - 1, await leaf(line)];
  for (const sibling of path.map(bytesIn)) {
    if (last === 0) return 'root';
    if (at % 2 === 1 || at === last) {
      hash = await node(sibling, hash);
      for (; at % 2 === 0 && at !== 0; last = Math.floor(last / 2)) at /= 2;
    } else hash = await node(hash, sibling);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && hexOf(hash) === rootIn(root) ? 'ok' : 'root';
}

/**
 * Checks a bundle against the statement about it, and against the text of the report if given. Returns the claims and 'ok', or
 * what does not match. Does not check whether the statement has expired.
 */
export async function report(bundleText, token, keys, issuer, reportText) {
  const { fault, claims: said } = await claims(token, keys, issuer);
  if (fault) return { fault };
  if (!said.evidence) return { fault: 'no_evidence', claims: said };
  const found = await bundle(bundleText, said.evidence.root);
  if (found !== 'ok') return { fault: found, claims: said };
  const { lines, origin } = JSON.parse(bundleText.slice(0, bundleText.indexOf('\n')));
  if (said.sub !== origin || said.evidence.n !== lines) return { fault: 'subject', claims: said };
  const text = reportText === undefined ? undefined : hexOf(await sha256(utf8(reportText)));
  return { fault: text === undefined || text === rootIn(said.report.sha256) ? 'ok' : 'bytes', claims: said };
}

function vector(one, keys) {
  if (one.kind === 'statement') return statement(one.statement, keys, one.issuer, one.origin, one.now);
  return one.kind === 'bundle' ? bundle(one.bundle, one.root) : line(one.line, one.root);
}

async function vectors({ keys, cases }) {
  const results = await Promise.all(cases.map((one) => vector(one, keys)));
  const wrong = cases.filter(({ expected }, at) => results[at] !== expected);
  for (const one of wrong) console.log(`wrong: ${one.name}: ${results[cases.indexOf(one)]}`);
  console.log(`${cases.length - wrong.length} of ${cases.length} vectors`);
  return wrong.length === 0;
}

async function main([what, file, ...more]) {
  const { readFileSync } = await import('node:fs');
  // A file that is not UTF-8 is read as empty.
  const text = (path) => textIn(readFileSync(path)) ?? '';
  const token = (path) => text(path).replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  if (what === 'vectors') return vectors(JSON.parse(text(file)));
  const checks = {
    statement: ([keys, issuer, origin, now]) =>
      statement(token(file), JSON.parse(text(keys)), issuer, origin, now && Number(now)),
    bundle: ([root]) => bundle(text(file), root),
    line: ([root]) => line(objectIn(text(file)) ?? {}, root),
    report: async ([jws, keys, issuer, of]) =>
      (await report(text(file), token(jws), JSON.parse(text(keys)), issuer, of && text(of))).fault,
  };
  const result = await checks[what](more);
  console.log(result);
  return result === 'ok';
}

const { argv } = globalThis.process ?? {};
if (argv?.[1] && import.meta.url === (await import('node:url')).pathToFileURL(argv[1]).href) {
  if (argv.length - 3 >= NEEDED[argv[2]]) process.exitCode = (await main(argv.slice(2))) ? 0 : 9;
  else {
    console.error(USAGE);
    process.exitCode = 2;
  }
}
