import { withLineFeeds } from '../formats/line-ends';

/** Text searched for the outline; a map's head decides, and a hostile megabyte must not be scanned line by line. */
const PARSED_CHARS = 262_144;
const PARSED_LINES = 20_000;

/** What a map of the proposal's grammar (https://llmstxt.org/) consists of. */
export interface Outline {
  /** Level-one headings; the first names the site and is all the proposal requires. */
  readonly titles: readonly string[];
  /** The quotation below the title. */
  readonly summary: boolean;
  readonly sections: number;
  readonly links: number;
  /** `[name] (url)`: the space keeps it from being a link. */
  readonly brokenLinks: number;
}

/** Reads the outline of a Markdown text after an optional byte order mark; code fences are skipped. Linear in the text. */
export function outlineOf(body: string): Outline {
  const prose = proseLines(body.slice(0, PARSED_CHARS).replace(/^\uFEFF/, ''));
  const headings = prose.flatMap((line) => {
    const [, marks, text] = /^ {0,3}(##?)[ \t]+(\S.*)$/.exec(line.slice(0, 1_000)) ?? [];
    return marks === undefined || text === undefined ? [] : [{ marks, text: text.replace(/ #{1,6} *$/, '').trim() }];
  });
  const sections = headings.filter(({ marks }) => marks === '##');
  const text = prose.join('\n');
  return {
    titles: headings.filter(({ marks }) => marks === '#').map((heading) => heading.text),
    sections: sections.length,
    summary: prose.some((line) => /^ {0,3}>\s*\S/.test(line)),
    // A link may be wrapped over lines, so links are counted in the text.
    links: text.match(/\[[^\][]{0,300}\]\([^()\s]{1,2000}\)/g)?.length ?? 0,
    brokenLinks: text.match(/\[[^\][]{0,300}\][ \t]+\((?:https?:|\/)/g)?.length ?? 0,
  };
}

/** Lines outside code fences. */
function proseLines(text: string): readonly string[] {
  let fenced = false;
  return withLineFeeds(text)
    .split('\n', PARSED_LINES)
    .filter((line) => {
      const fence = /^\s{0,3}(?:```|~~~)/.test(line);
      if (fence) fenced = !fenced;
      return !fence && !fenced;
    });
}
