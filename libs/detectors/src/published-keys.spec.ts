import { generateKeyPairSync } from 'node:crypto';
import * as fc from 'fast-check';
import type { Answer } from './evidence/exchange';
import type { JsonObject } from './formats/json';
import { publicKeyOf } from './keys/public-key';
import { KEY_DOCUMENTS, publishedKeys } from './published-keys';

const [PROFILE, CARD, DIRECTORY] = KEY_DOCUMENTS;
const SET = 'https://shop.example.com/keys.json';
const pairs = [
  generateKeyPairSync('ed25519'),
  generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  generateKeyPairSync('ec', { namedCurve: 'P-384' }),
];
const exported = (half: 'publicKey' | 'privateKey') =>
  pairs.map((pair) => pair[half].export({ format: 'jwk' }) as JsonObject);
const [PUBLIC, PRIVATE] = [exported('publicKey'), exported('privateKey')];
const index = fc.nat(PUBLIC.length - 1);

const answered = (url: string, document: unknown, also: Partial<Answer> = {}): Answer => ({
  kind: 'answer',
  method: 'GET',
  url: new URL(url, 'https://shop.example.com').href,
  finalUrl: url,
  phase: 'presence',
  observedAt: '2026-11-23T16:00:00.000Z',
  redirects: [],
  status: 200,
  headers: [],
  body: JSON.stringify(document),
  bytes: 1,
  sha256: '',
  truncated: false,
  ...also,
});
const card = (jku: string): unknown => ({
  name: 'shop',
  signatures: [
    {
      protected: Buffer.from(JSON.stringify({ alg: 'EdDSA', kid: 'k', jku })).toString('base64url'),
      signature: 'AAAA',
    },
  ],
});

describe('keys that a host publishes', () => {
  it('are those of its profile, its directory, and a set that its card names', () => {
    fc.assert(
      fc.property(fc.constantFrom('keys', 'signing_keys'), index, index, index, (member, one, two, three) => {
        const exchanges = [
          answered(PROFILE, { ucp: {}, [member]: [PUBLIC[one]] }),
          answered(CARD, card(SET)),
          answered(SET, { keys: [PUBLIC[two]] }),
          answered(DIRECTORY, { keys: [null, 'x', PUBLIC[three]] }),
        ];
        const prints = [one, two, three].map((at) => publicKeyOf(PUBLIC[at]!)!.thumbprint);
        expect(publishedKeys(exchanges)).toEqual({ thumbprints: [...new Set(prints)].toSorted(), sets: [SET] });
      }),
    );
  });

  it('are none of another document, of a redirect, of an error, nor keys with their private half or past their time', () => {
    const key = index.map((at) => PUBLIC[at]!);
    const document = fc.constantFrom(...KEY_DOCUMENTS);
    const none = fc.oneof(
      fc
        .tuple(fc.constantFrom('/', '/keys.json', '/.well-known/jwks.json'), key)
        .map(([url, one]) => answered(url, { keys: [one] })),
      fc
        .tuple(
          document,
          key,
          fc.constantFrom<Partial<Answer>>(
            { status: 404 },
            { status: 302 },
            { method: 'POST' },
            { truncated: true },
            { redirects: [{ status: 301, location: 'https://other.example.net/' }] },
          ),
        )
        .map(([url, one, also]) => answered(url, { keys: [one] }, also)),
      fc.tuple(document, index).map(([url, at]) => answered(url, { keys: [PRIVATE[at]] })),
      fc.tuple(document, key).map(([url, one]) => answered(url, { keys: [{ ...one, exp: 1_700_000_000 }] })),
      fc.tuple(document, key).map(([url, one]) => answered(url, { keys: [{ ...one, use: 'enc' }] })),
      fc.tuple(document, key).map(([url, one]) => answered(url, { keys: [one], filler: 'x'.repeat(65_536) })),
      fc.tuple(document, fc.jsonValue()).map(([url, value]) => answered(url, value)),
      fc.tuple(document, fc.string()).map(([url, body]) => answered(url, null, { body })),
    );
    fc.assert(
      fc.property(none, (exchange) => {
        expect(publishedKeys([exchange]).thumbprints).toEqual([]);
      }),
    );
  });
});
