import { host } from './fixtures/hosts/full-store/host';
import { BASE, fixtureFiles, NOW, readingOf, reportOf, type Files } from './support/fixture-host';
import { partOf } from './support/generated';
import { ENDLESS_TEXT, EVIL_TEXT, withText, withTextEverywhere } from './support/hostile-text';
import { reportPage } from '../apps/cli/src/report-page';
import { paintFor } from '../apps/cli/src/terminal/paint';
import { badge } from '../apps/gateway/src/reports/badge';
import { atomFeed, jsonFeed } from '../apps/gateway/src/reports/feeds';
import { hostPage } from '../apps/gateway/src/pages/host/host-page';
import { reportMarkdown } from '../apps/gateway/src/reports/report-markdown';
import { layout } from '../apps/gateway/src/pages/page-registry';
import { usd } from '../apps/gateway/src/products/price';
import { startPage } from '../apps/gateway/src/pages/start-page';
import type { HostReading } from '../apps/gateway/src/reports/host-reading';

const SITE = { baseUrl: BASE, subscription: { price: usd('5'), days: 30 } };
const FILES = fixtureFiles('full-store');
/** The text is tried in a third of the single places (with `GENERATED=all` in each), and in all places at once. */
const EVERY = 3 / partOf(3);

const INVISIBLE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFFE\uFFFF\u{E0000}-\u{E007F}]/u;

/** The colors of the command line (SGR). */
// eslint-disable-next-line no-control-regex
const PAINT = /\u001B\[\d{1,2}m/g;

/** The distinct names of elements and attributes in a document. Text and values are escaped and contain no `<`. */
function markupOf(document: string): ReadonlySet<string> {
  const tags = document.match(/<[^>]*>/g) ?? [];
  return new Set(tags.flatMap((tag) => tag.replace(/"[^"]*"/g, '""').match(/^<\/?[^\s/>]+|[^\s=/>]+(?==)/g) ?? []));
}

/** All formats of a report, on pages and on a terminal. */
function formsOf(reading: HostReading) {
  return {
    page: layout(hostPage({ ...reading, baseUrl: BASE, contact: null, freeProbes: true })),
    start: layout(startPage([reading.report], SITE)),
    badge: badge(reading.report, undefined, NOW),
    cellBadge: badge(reading.report, 'x402', NOW),
    atom: atomFeed(reading, BASE),
    feed: jsonFeed(reading, BASE),
    markdown: reportMarkdown(reading, BASE),
    screen: reportPage(reading.report, paintFor({ isTTY: true }, undefined), true).replace(PAINT, ''),
  };
}

/**
 * Markdown without code, which no renderer interprets: removes fenced blocks first, then spans with equally long
 * fences.
 */
function proseOf(markdown: string): string {
  return markdown.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '').replace(/(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/g, '');
}

describe('a hostile host', () => {
  const hosts: readonly Files[] = [
    ...withText(FILES, EVIL_TEXT).filter((_, at) => at % EVERY === 0),
    withTextEverywhere(FILES, EVIL_TEXT),
    withTextEverywhere(FILES, ENDLESS_TEXT),
  ];
  let allowed: Readonly<Record<string, ReadonlySet<string>>>;
  let shown: readonly ReturnType<typeof formsOf>[];

  beforeAll(async () => {
    // The markup of the templates themselves, from reports without attacks: of this host, and of a host that fails.
    const friendly = await Promise.all(
      [{}, ...withText(FILES, 'plain').filter((_, index) => index % 6 === 0)].map(async (files) =>
        formsOf(readingOf(await reportOf(host, { ...FILES, ...files }), 'plain')),
      ),
    );
    const names = ['page', 'start', 'badge', 'cellBadge', 'atom'] as const;
    allowed = Object.fromEntries(
      names.map((name) => [name, new Set(friendly.flatMap((forms) => [...markupOf(forms[name])]))]),
    );
    shown = await Promise.all(hosts.map(async (files) => formsOf(readingOf(await reportOf(host, files), EVIL_TEXT))));
  });

  it('is tested in every field of every document', () => {
    expect(shown.length).toBeGreaterThan(200 / EVERY);
  });

  it('cannot inject elements or attributes into page, badge and feed', () => {
    for (const forms of shown) {
      for (const [name, known] of Object.entries(allowed)) {
        const strange = [...markupOf(forms[name as keyof typeof forms])].filter((markup) => !known.has(markup));
        expect([name, strange]).toEqual([name, []]);
      }
    }
  });

  it('cannot inject invisible characters or executable URLs', () => {
    for (const forms of shown) {
      for (const [name, form] of Object.entries(forms)) {
        expect([name, INVISIBLE.exec(form)?.index]).toEqual([name, undefined]);
      }
      for (const form of [forms.page, forms.start, forms.atom]) {
        expect(/(?:href|src)="(?!https?:|\/|#|mailto:)[^"]*"/.exec(form)?.[0]).toBeUndefined();
      }
    }
  });

  it('cannot inject Markdown', () => {
    for (const forms of shown) {
      const prose = proseOf(forms.markdown);
      expect(/(?<!\\)[\][](?!\))/.exec(prose)?.[0]).toBeUndefined();
      expect(/(?<!\\)<(?!https:\/\/)/.exec(prose)?.[0]).toBeUndefined();
      expect(/^# owned/m.exec(prose)).toBeNull();
      expect(prose).not.toMatch(/https?:\/\/evil/);
    }
  });

  it('cannot add lines to terminal output', () => {
    const own = shown.flatMap(({ screen }) => screen.split('\n')).filter((line) => /^(?:# owned|```|~~~)/.test(line));
    expect(own).toEqual([]);
  });

  it('cannot make any form too long', () => {
    for (const forms of shown) {
      const { page, badge: image, cellBadge, atom, markdown, screen } = forms;
      expect(screen.split('\n').length).toBeLessThan(400);
      expect(Math.max(...screen.split('\n').map((line) => line.length))).toBeLessThan(4_200);
      expect(page.length).toBeLessThan(400_000);
      expect([image.length < 2_048, cellBadge.length < 2_048]).toEqual([true, true]);
      expect(atom.length).toBeLessThan(20_000);
      expect(markdown.length).toBeLessThan(200_000);
    }
  });

  it('is still quoted: harmless text is not hidden', () => {
    const { page } = shown[0]!;
    expect(page).toContain('&lt;script&gt;window.owned=1&lt;/script&gt;');
  });
});
