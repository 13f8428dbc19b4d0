import { generateKeyPairSync, sign, type KeyObject, type SignKeyObjectInput } from 'node:crypto';
import fc from 'fast-check';
import { isObject, type JsonObject, type JsonValue } from '@app/detectors';
import { seeded } from './varying-answers';

/** The key set URL in the cards below. */
export const JKU = 'https://shop.example.com/.well-known/jwks.json';

/** A key pair for a JWS algorithm, with the id and the public JWK for its signatures. */
export interface CardKey {
  readonly alg: string;
  readonly jwk: JsonObject;
  readonly sign: (data: string) => string;
}

export function newCardKey(alg: 'ES256' | 'ES384' | 'EdDSA' | 'RS256' | 'PS256', kid: string = alg): CardKey {
  const { privateKey, publicKey } = pairOf(alg);
  const hash = alg === 'EdDSA' ? null : alg === 'ES384' ? 'sha384' : 'sha256';
  const padding: Partial<SignKeyObjectInput> = alg === 'PS256' ? { padding: 6, saltLength: 32 } : {};
  const options = { key: privateKey, dsaEncoding: 'ieee-p1363', ...padding } as const;
  return {
    alg,
    jwk: { ...(publicKey.export({ format: 'jwk' }) as JsonObject), kid },
    sign: (data) => sign(hash, Buffer.from(data), options).toString('base64url'),
  };
}

function pairOf(alg: string): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519');
  if (alg.startsWith('ES')) return generateKeyPairSync('ec', { namedCurve: alg === 'ES256' ? 'P-256' : 'P-384' });
  return generateKeyPairSync('rsa', { modulusLength: 2_048 });
}

/** An entry in `signatures` of a card. */
type CardSignature = JsonObject & { readonly protected: string; readonly signature: string };

/** An entry of `signatures` for a payload; `header` changes parameters of the protected header. */
export function signatureBy(key: CardKey, payload: string, header: JsonObject = {}): CardSignature {
  const parameters = { alg: key.alg, typ: 'JOSE', kid: key.jwk['kid'], jku: JKU, ...header };
  const encoded = Buffer.from(JSON.stringify(parameters)).toString('base64url');
  return { protected: encoded, signature: key.sign(`${encoded}.${Buffer.from(payload).toString('base64url')}`) };
}

/** A complete A2A 1.0 card without signatures, with arbitrary additions. */
export const cards: fc.Arbitrary<JsonObject> = fc
  .record({ name: fc.string({ minLength: 1, maxLength: 12 }), more: fc.dictionary(fc.string(), fc.jsonValue()) })
  .map(({ name, more }) => {
    const own = Object.fromEntries(Object.entries(JSON.parse(JSON.stringify(more)) as JsonObject));
    return { ...own, ...MEMBERS, name: `Agent ${name}` };
  });

const MEMBERS: JsonObject = {
  description: 'Finds lamps for 0.5 to 100 euros – and "more".',
  version: '1.0.0',
  supportedInterfaces: [{ url: 'https://shop.example.com/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: false, extensions: [{ uri: 'https://example.com/ext/1', params: { limit: 100 } }] },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'find', name: 'Find', description: '', tags: [], examples: ['a lamp'] }],
};

/** The same value with another order, white space, number notation and escapes. */
export function rewritten(value: JsonValue, seed: number): string {
  const draw = seeded(seed);
  const blank = () => [' ', '', '\n', '\t', '\r\n  '][Math.floor(draw() * 5)] ?? '';
  const text = (content: string) =>
    `"${[
      ...JSON.stringify(content)
        .slice(1, -1)
        .matchAll(/\\u....|\\.|[^]/g),
    ]
      .map(([unit]) => escaped(unit))
      .join('')}"`;
  const escaped = (unit: string) =>
    unit.length === 1 && draw() < 0.2 ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : unit;
  const number = (content: number) => {
    const [plain, exponent] = [String(content), content.toExponential()];
    const forms = [plain, exponent, exponent.toUpperCase(), /[.e]/.test(plain) ? plain : `${plain}.0`];
    return forms[Math.floor(draw() * forms.length)] ?? plain;
  };
  const write = (item: JsonValue): string => {
    if (typeof item === 'string') return text(item);
    if (typeof item === 'number') return number(item);
    if (Array.isArray(item))
      return `[${(item as readonly JsonValue[]).map((one) => `${blank()}${write(one)}${blank()}`).join(',')}]`;
    if (!isObject(item)) return JSON.stringify(item);
    const members = Object.entries(item).map(
      ([name, one]) => `${blank()}${text(name)}${blank()}:${write(one ?? null)}`,
    );
    return `{${members.sort(() => draw() - 0.5).join(',')}${blank()}}`;
  };
  return write(value);
}
