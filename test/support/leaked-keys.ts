import { wordlist } from '@scure/bip39/wordlists/english';
import { createHash, generateKeyPairSync } from 'node:crypto';

/** A key that a host publishes by mistake: the secret with its surrounding text. */
export interface LeakedKey {
  readonly form: string;
  readonly text: string;
  readonly secret: string;
}

/** Derived from the seed, so that a key can be generated again. */
const bytes = (seed: string, count: number): Buffer =>
  Buffer.concat([
    createHash('sha512').update(seed).digest(),
    createHash('sha512').update(`${seed}2`).digest(),
  ]).subarray(0, count);

const BASE58 = /[1-9A-HJ-NP-Za-km-z]/g;
const base58 = (seed: string, length: number): string =>
  [0, 1, 2, 3]
    .map((part) => bytes(`${seed}${part}`, 128).toString('base64'))
    .join('')
    .match(BASE58)!
    .slice(0, length)
    .join('');

const of = (alphabet: string, seed: string, length: number): string =>
  [...bytes(seed, 64)]
    .slice(0, length)
    .map((byte) => alphabet[byte % 32]!)
    .join('');
const bech32 = (seed: string, length: number): string => of('qpzry9x8gf2tvdw0s3jn54khce6mua7l', seed, length);
const base32 = (seed: string, length: number): string => of('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', seed, length);

function pemBody(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().split('\n')[1]!;
}

/** One recognizable key of each format. */
export function leakedKeys(seed: string): readonly LeakedKey[] {
  const base64 = (count: number): string => bytes(seed, count).toString('base64');
  const hex = bytes(seed, 32).toString('hex');
  const url = bytes(seed, 32).toString('base64url');
  const armoured = (kind: string, secret: string): string =>
    `-----BEGIN ${kind}-----\n${secret}\n-----END ${kind}-----`;
  const pem = pemBody();
  const list64 = [...bytes(seed, 64)];
  const phrase = [...bytes(seed, 48).subarray(0, 24)].map((byte) => wordlist[byte * 8]!);
  const forms: readonly (readonly [form: string, text: string, secret: string])[] = [
    ['pgp', armoured('PGP PRIVATE KEY BLOCK', `\n${base64(45)}`), base64(45)],
    ['pem', armoured('PRIVATE KEY', pem), pem],
    ['rsa', armoured('RSA PRIVATE KEY', base64(48)), base64(48)],
    ['openssh', armoured('OPENSSH PRIVATE KEY', base64(51)), base64(51)],
    ['hex', `PRIVATE_KEY=${hex}`, hex],
    ['prefixed', `private key: 0x${hex}`, hex],
    ['base64', `secret_key = "${base64(32)}"`, base64(32)],
    ['jwk', `{"kty":"OKP","crv":"Ed25519","x":"a","d":"${url}"}`, url],
    ['age', `AGE-SECRET-KEY-1${hex.toUpperCase().slice(0, 58)}`, hex.toUpperCase().slice(0, 58)],
    ['extended', `xprv${base58(seed, 107)}`, base58(seed, 107)],
    ['nostr', `nsec1${bech32(seed, 58)}`, bech32(seed, 58)],
    ['sui', `suiprivkey1${bech32(seed, 60)}`, bech32(seed, 60)],
    ['aptos', `ed25519-priv-0x${hex}`, hex],
    ['stellar', `S${base32(seed, 55)}`, base32(seed, 55)],
    ['encoded', `302e020100300506032b657004220420${hex}`, hex],
    ['variable', `ETH_KEY=0x${hex}`, hex],
    ['signer', `signing-key: ${hex}`, hex],
    ['seed', `SEED="0x${hex}"`, hex],
    ['solana', `SOLANA_SECRET=${base58(seed, 88)}`, base58(seed, 88)],
    ['file', `[${list64.join(',')}]`, list64.join(',')],
    ['words', phrase.slice(0, 12).join(' '), phrase.slice(0, 12).join(' ')],
    ['mnemonic', `MNEMONIC="${phrase.join(' ')}"`, phrase.join(' ')],
    ['live', `sk_live_${hex.slice(0, 24)}`, hex.slice(0, 24)],
  ];
  return forms.map(([form, text, secret]) => ({ form, text, secret }));
}
