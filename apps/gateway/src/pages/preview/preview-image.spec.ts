import { inflateSync } from 'node:zlib';
import type { HostReport } from '@app/reports';
import { host } from '../../../../../test/fixtures/hosts/full-store/host';
import { fixtureFiles, reportOf } from '../../../../../test/support/fixture-host';
import { PREVIEW } from '../layout/page';
import { previewImage } from './preview-image';

/** The pixels of a picture, row by row, as indices of its palette. */
function pixelsIn(png: Buffer): readonly Buffer[] {
  const idat = png.indexOf('IDAT');
  const rows = inflateSync(png.subarray(idat + 4, idat + 4 + png.readUInt32BE(idat - 4)));
  const step = PREVIEW.width + 1;
  return Array.from({ length: PREVIEW.height }, (_, row) => rows.subarray(row * step + 1, (row + 1) * step));
}

describe('the preview image of a host', () => {
  let report: HostReport;
  beforeAll(async () => {
    report = (await reportOf(host, fixtureFiles('full-store'))) as never;
  });

  it('is a PNG of the size that its page names', () => {
    const png = previewImage(report);
    expect(png.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([PREVIEW.width, PREVIEW.height]);
    expect(png.length).toBeLessThan(30_000);
    expect(png.indexOf('PLTE')).toBeGreaterThan(0);
  });

  it('has a tile for each protocol, with text in every one', () => {
    const rows = pixelsIn(previewImage(report));
    for (const [at] of report.protocols.entries()) {
      const [left, top] = [60 + (at % 4) * 272, 336 + Math.floor(at / 4) * 88];
      const tile = rows.slice(top, top + 78).flatMap((row) => [...row.subarray(left, left + 262)]);
      expect(new Set(tile).size).toBeGreaterThan(10);
    }
  });

  it.each(['a'.repeat(63), `${'long-name.'.repeat(24)}example.com`])('stays within its margins: %s', (domain) => {
    const rows = pixelsIn(previewImage({ ...report, domain }));
    const [ground] = rows[0]!;
    for (const row of rows) expect([...row.subarray(PREVIEW.width - 60)].every((pixel) => pixel === ground)).toBe(true);
  });
});
