import { host } from '../../../test/fixtures/hosts/full-store/host';
import { fixtureFiles, reportOf } from '../../../test/support/fixture-host';
import { ENDLESS_TEXT, EVIL_TEXT, withText, withTextEverywhere } from '../../../test/support/hostile-text';
import { paintFor } from '../src/terminal/paint';
import { reportPage } from '../src/report-page';

const FILES = fixtureFiles('full-store');

/** Everything that steers a terminal or turns its text around. */
const STEERING =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/u;
/** What we paint ourselves (SGR). */
// eslint-disable-next-line no-control-regex
const PAINT = /\u001B\[\d{1,2}m/g;

describe('a hostile host on a terminal', () => {
  const hosts = [
    ...withText(FILES, EVIL_TEXT),
    withTextEverywhere(FILES, EVIL_TEXT),
    withTextEverywhere(FILES, ENDLESS_TEXT),
  ];
  let screens: readonly string[];

  beforeAll(async () => {
    const reports = await Promise.all(hosts.map((files) => reportOf(host, files)));
    screens = reports.map((report) => reportPage(report, paintFor({ isTTY: true }, undefined)));
  });

  it('moves no cursor, opens no link and turns no text around', () => {
    for (const screen of screens) {
      expect(STEERING.exec(screen.replace(PAINT, ''))?.[0]).toBeUndefined();
    }
  });

  it('adds no line of its own to a cell, a rail or a piece of evidence', () => {
    const own = screens.flatMap((screen) => screen.split('\n')).filter((line) => /^(?:# owned|```|~~~)/.test(line));
    expect(own).toEqual([]);
  });

  it('fills no more lines, and none longer, than a reader bears', () => {
    for (const screen of screens) {
      const lines = screen.split('\n');
      expect(lines.length).toBeLessThan(400);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(4_200);
    }
  });
});
