import { gzipSync } from 'node:zlib';
import { exchange, failure, plain } from '../../../../test/support/evidence';
import { unpackEvidence } from './evidence-archive';

describe('an archive of an earlier release', () => {
  it('is read: failures, answers, line breaks in bodies, and bodies that an earlier line holds', async () => {
    const url = (path: string): string => `https://shop.example.com${path}`;
    const exchanges = [
      exchange('GET', url('/a'), failure('timeout')),
      exchange('GET', url('/b'), plain('a\nb\r\n\u2028\u{1F6D2}')),
      exchange('GET', url('/c'), plain('a\nb\r\n\u2028\u{1F6D2}')),
    ];
    const lines = exchanges.map((one, index) => JSON.stringify(index < 2 ? one : { ...one, body: undefined }));
    expect(await unpackEvidence(gzipSync(lines.map((line) => `${line}\n`).join('')))).toEqual(exchanges);
    expect(await unpackEvidence(gzipSync(''))).toEqual([]);
  });
});
