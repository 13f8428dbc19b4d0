import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type Answer, type Exchange, type ProtocolCell } from '@app/detectors';
import { exchange, failure, json, plain } from '../../../test/support/evidence';
import { exchangesOf, keptExchanges, makeBundle, partialBodies, rootOf, shownExchanges } from './bundle';
import { bodyOf, EVIDENCE_LIMITS, withinLimits } from './limits';
import { Line } from './lines';

const SUBJECT = {
  domain: 'shop.example.com',
  origin: 'https://shop.example.com',
  prober: 'hostprobe/1',
  rules: '2026-11-22',
  leftOut: 0,
};
const at = (path: string): string => `https://shop.example.com${path}`;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
/** An answer with these bytes, as the prober reads it. */
function answerOf(path: string, bytes: Uint8Array, headers: Answer['headers'] = []): Answer {
  const answer = exchange('GET', at(path), plain('')) as Answer;
  return { ...answer, ...bodyOf(bytes), bytes: bytes.length, sha256: sha256(bytes), headers };
}
const bundle = (exchanges: readonly Exchange[], cells: readonly ProtocolCell[] = []) => {
  const kept = keptExchanges(withinLimits(exchanges, EVIDENCE_LIMITS), cells);
  return { kept, ...makeBundle(SUBJECT, kept, []) };
};
const read = (exchanges: readonly Exchange[]) => {
  const { lines, bodies } = bundle(exchanges);
  const parsed = lines.slice(1).map((line) => Line.parse(JSON.parse(line)));
  return exchangesOf(parsed, new Map([...bodies].map(([name, { bytes }]) => [name, bytes])));
};

const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.string({ unit: 'binary', maxLength: 300 }).map((text) => Buffer.from(text)),
  fc.constantFrom(Buffer.alloc(0), Buffer.from('\u{feff}{}'), Buffer.from([0xff, 0xfe, 0, 0x80])),
);

describe('a bundle', () => {
  it('contains every body unchanged, once, under the hash of its bytes', () => {
    fc.assert(
      fc.property(fc.array(bodies, { maxLength: 12 }), (all) => {
        const exchanges = all.map((bytes, index) => answerOf(`/${index}`, bytes));
        const made = bundle(exchanges);
        expect([...made.bodies.keys()]).toEqual([...new Set(all.map(sha256))]);
        for (const [name, { bytes }] of made.bodies) expect(sha256(bytes)).toBe(name);
        expect(read(exchanges)).toEqual(exchanges);
      }),
    );
  });

  it('is the same for the same exchanges, with the root of its lines', () => {
    const exchanges = [answerOf('/a', Buffer.from('a')), exchange('GET', at('/b'), failure('timeout'))];
    const copy = structuredClone(exchanges);
    expect(bundle(copy).lines).toEqual(bundle(exchanges).lines);
    expect(bundle(exchanges).root).toBe(rootOf(bundle(copy).lines));
    expect(bundle(exchanges).root).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['text', Buffer.from('é'.repeat(1_000_000))],
    ['bytes that are not text', Buffer.alloc(2_000_000, 0xfe)],
  ])('contains the start of 2 MB of %s, with its own hash', (_, bytes) => {
    const made = bundle([answerOf('/large', bytes)]);
    const line = Line.parse(JSON.parse(made.lines[1]!));
    const [name, body] = [...made.bodies][0]!;
    expect(line).toMatchObject({ bytes: 2_000_000, sha256: sha256(bytes), truncated: true, kept: { sha256: name } });
    expect([body.bytes.length <= EVIDENCE_LIMITS.body, sha256(body.bytes)]).toEqual([true, name]);
    expect(bytes.subarray(0, body.bytes.length).equals(body.bytes)).toBe(true);
    expect([...partialBodies(made.kept)]).toEqual([sha256(bytes)]);
  });

  it('contains no cookie, session or token values and no address of the prober', () => {
    const secret = 'S3CRET-value';
    const headers = fc.record({
      name: fc.constantFrom(
        'set-cookie',
        'set-cookie2',
        'authorization',
        'mcp-session-id',
        'x-forwarded-for',
        'x-api-key',
      ),
      value: fc.constantFrom(
        secret,
        `sid=${secret}; Path=/; HttpOnly`,
        `Bearer ${secret}`,
        ` =${secret}`,
        `a b=${secret}`,
      ),
    });
    fc.assert(
      fc.property(fc.array(headers, { minLength: 1, maxLength: 5 }), (all) => {
        const lines = all.map(({ name, value }) => [name, value] as const);
        const location = ['location', `https://user:${secret}@shop.example.com/`] as const;
        const made = bundle([answerOf('/', Buffer.from('{}'), [...lines, location])]);
        expect(made.lines.join('\n')).not.toContain(secret);
        expect(made.lines.join('\n')).toContain('[withheld]');
      }),
    );
  });

  it('keeps the names of cookies, because they identify bot walls', () => {
    const [line] = bundle([answerOf('/', Buffer.from(''), [['set-cookie', 'datadome=x1; Path=/']])]).kept.exchanges;
    expect(line).toMatchObject({ headers: [['set-cookie', 'datadome=[withheld]']] });
  });

  const KEY = 'eyJhbGciOiJFUzI1NiJ9kkkkkkkkkkkkkkkkkkkkkkkkkkk';
  const JWK = JSON.stringify({ keys: [{ kty: 'EC', d: KEY }] });
  it.each([
    ['as it is', JWK],
    ['in a string', JSON.stringify({ inner: JWK })],
    ['in a string of a string', JSON.stringify({ inner: JSON.stringify({ inner: JWK }) })],
    ['escaped', JWK.replace('"d"', String.raw`"\u0064"`)],
    ['in PEM', '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEI\n-----END PRIVATE KEY-----'],
  ])('shows no private key, written %s', (_, text) => {
    const made = bundle([exchange('GET', at('/keys'), json(text))]);
    expect([...made.bodies.values()]).toMatchObject([{ leaks: true }]);
    expect(shownExchanges(made.kept)).toMatchObject([{ body: '', sha256: sha256(Buffer.from(text)) }]);
  });

  it('shows no body in which a detector found a private key', () => {
    const text = 'a key in a form of its own';
    const row = { status: 200, bytes: text.length, sha256: sha256(Buffer.from(text)), excerpt: null };
    const cell = { id: 'ucp', status: 'present', version: null, details: { evidence: [row] } } as const;
    const made = bundle([exchange('GET', at('/keys'), plain(text))], [cell]);
    expect([...made.bodies.values()]).toMatchObject([{ leaks: true }]);
  });
});
