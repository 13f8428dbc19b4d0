import { wordlist } from '@scure/bip39/wordlists/english';

/** Patterns of recognizable keys, and of values labeled as keys: hex, base58 and base64. */
const KEYS: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z0-9]{1,20} ){0,2}PRIVATE KEY(?: BLOCK)?-----/,
  /PuTTY-User-Key-File-\d/,
  /AGE-SECRET-KEY-1[0-9A-Z]{40}/i,
  /\b(?:nsec1|suiprivkey1)[02-9ac-hj-np-z]{40}/i,
  /(?:ed25519|secp256k1)-priv-0x[0-9a-f]{64}/i,
  /\b[xyz]prv[1-9A-HJ-NP-Za-km-z]{100}/,
  /\b[sr]k_live_[0-9A-Za-z]{16}/,
  /(?:priv(?:ate)?|secret|wallet)[ _-]?key[^0-9a-z]{1,12}(?:0x[0-9a-f]{64}|[0-9a-z+/_=-]{43})/i,
];

/** A private field of a JSON Web Key, even in broken JSON or in JSON within a text. */
const WEB_KEY = /"kty\\{0,4}"/;
const PRIVATE_MEMBER = /"(?:d|p|q|dp|dq|qi|k)\\{0,4}"\s{0,20}:\s{0,20}\\{0,4}"/;

/**
 * Probable keys, which are not quoted: hex of a key encoding (PKCS 8), Stellar seeds, the bytes of a key file, and
 * values labeled as a key that is not public.
 */
const LIKELY: readonly RegExp[] = [
  /30(?:2e|30)0201003[0-9a-f]{17,21}0420[0-9a-f]{64}/i,
  /\bS[A-Z2-7]{55}\b/,
  /\[\s{0,4}(?:\d{1,3}\s{0,4},\s{0,4}){63}\d{1,3}\s{0,4}\]/,
  /(?<!(?:pub|public|verif|verification|verifying)[ _.-]?)(?:key|secret|seed|priv|private|sk)["'\\]{0,4}[^0-9a-z]{1,12}(?:0x)?[0-9a-f]{64}(?![0-9a-f])/i,
  /(?<!(?:pub|public|verif|verification|verifying)[ _.-]?)(?:key|secret|seed|priv|private|sk)["'\\]{0,4}[^0-9a-z]{1,12}[1-9A-HJ-NP-Za-km-z]{86,88}(?![0-9a-z])/i,
];

/** Possible keys that may also be a hash or an address: a text of exactly 32 bytes of hex. */
const DOUBTFUL = /^\s{0,20}(?:0x)?[0-9a-f]{64}\s{0,20}$/i;

/** The minimum of a wallet phrase (BIP 39): words, and characters including separators. */
const PHRASE = { words: 12, characters: 47 } as const;
const WALLET_WORDS: ReadonlySet<string> = new Set(wordlist);

/** A shorter text cannot contain a key. */
const SHORTEST = 16;

/** Whether a text contains a private key: PEM, OpenSSH, PGP, wallets and labeled values. */
export function showsPrivateKey(text: string): boolean {
  if (text.length < SHORTEST) return false;
  return KEYS.some((pattern) => pattern.test(text)) || (WEB_KEY.test(text) && PRIVATE_MEMBER.test(text));
}

/** Whether a text probably contains one: enough for not quoting it, but not for a finding about the host. */
export function likelyShowsKey(text: string): boolean {
  if (text.length < SHORTEST) return false;
  return showsPrivateKey(text) || LIKELY.some((pattern) => pattern.test(text)) || hasWalletPhrase(text);
}

/** Whether a text may contain one, so that it is not published as evidence. */
export function mayShowKey(text: string): boolean {
  return likelyShowsKey(text) || DOUBTFUL.test(text);
}

/**
 * Whether enough words of the wallet word list follow each other. No sentence does that, because the list has no
 * articles.
 */
function hasWalletPhrase(text: string): boolean {
  if (text.length < PHRASE.characters) return false;
  let run = 0;
  for (const [word] of text.matchAll(/[a-z]+|[^a-z\s,]+/gi)) {
    run = WALLET_WORDS.has(word.toLowerCase()) ? run + 1 : 0;
    if (run === PHRASE.words) return true;
  }
  return false;
}
