import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { coded, codedTag, codingFor } from './content-coding';
import { contentTag } from './entity-tag';

const LONG = 'x'.repeat(1_000);

describe('the encoding of a response', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['X-GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP;q=1.0, br;q=0.8', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['gzip;q=0.5, identity;q=0.9', undefined],
    ['gzip;q=abc', undefined],
    ['deflate, zstd', undefined],
  ])('%s: %s', (header, coding) => {
    expect(codingFor(header, LONG)).toBe(coding);
  });

  it('is not used for a body that fits one packet', () => {
    expect(codingFor('br', 'x'.repeat(999))).toBeUndefined();
  });

  it('is never one that the client refuses', () => {
    const item = fc.tuple(
      fc.constantFrom('br', 'gzip', 'identity', '*', 'zstd'),
      fc.constantFrom('', ';q=0', ';q=0.3', '; q=1'),
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), (items) => {
        const chosen = codingFor(items.map((parts) => parts.join('')).join(', '), LONG);
        const last = new Map(items);
        const said = last.get(chosen ?? 'identity') ?? last.get('*');
        expect(chosen === undefined || (said !== undefined && said !== ';q=0')).toBe(true);
      }),
    );
  });
});

describe('a compressed body', () => {
  it('decodes to the body, and has its own tag', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 3_000 }), async (body) => {
        const etag = contentTag(body);
        const [br, gzip] = await Promise.all([coded(body, etag, 'br'), coded(Buffer.from(body), etag, 'gzip')]);
        expect([brotliDecompressSync(br), gunzipSync(gzip)]).toEqual([Buffer.from(body), Buffer.from(body)]);
        expect(new Set([etag, codedTag(etag, 'br'), codedTag(etag, 'gzip')]).size).toBe(3);
      }),
      { numRuns: 50 },
    );
  });

  it('is made once for all clients', async () => {
    const etag = contentTag(LONG);
    const [first, second] = [coded(LONG, etag, 'br'), coded(LONG, etag, 'br')];
    expect(second).toBe(first);
    expect(coded(LONG, etag, 'br')).toBe(first);
    const bytes = await first;
    expect(coded(LONG, etag, 'br')).toBe(bytes);
  });
});
