import { defineDetector } from '../judgement/detector';
import { ARD_PROBE, ardDocuments, ardFollowUps } from '../documents/ard';
import { DOCUMENT_PROBLEMS } from '../documents/well-known-json';
import { mediaType, type Answer, type ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { linkedBy, linksOf } from '../evidence/links';
import type { Reading } from '../evidence/reading';
import type { JsonObject } from '../formats/json';
import { detailOf, findingsWhere, type Finding, type FixAdvice, type Judgement } from '../judgement/judgement';
import { nothingFound } from '../judgement/nothing-found';
import { homeOf } from '../evidence/home-and-robots';
import { withLineFeeds } from '../formats/line-ends';

/**
 * How much text is searched for the outline. The start of the file is sufficient, and a hostile megabyte must not be
 * scanned line by line.
 */
const PARSED_CHARS = 262_144;
const PARSED_LINES = 20_000;

/** The parts of a file by the grammar of the proposal (https://llmstxt.org/). */
interface Outline {
  /** Level-one headings; the first one names the site and is the only required part. */
  readonly titles: readonly string[];
  /** Whether there is a quotation below the title. */
  readonly summary: boolean;
  readonly sections: number;
  readonly links: number;
  /** `[name] (url)`: because of the space it is not a link. */
  readonly brokenLinks: number;
}

/** The outline of a Markdown text after an optional byte order mark, ignoring code fences, in linear time. */
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
    // A link may be wrapped over lines, so links are counted in the whole text.
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

const PATH = '/llms.txt';

/**
 * The largest file that is read completely; a real one has 4.56 MB. Beyond it, the start decides and `truncated` is
 * set.
 */
const MAX_BYTES = 5_000_000;

/** Agents truncate longer files. */
const LONG_MAP_BYTES = 100_000;

/** From this size, a file is large for a context window. */
const LARGE_MAP_BYTES = 50_000;

/** This path is not in any version of the proposal, and agents do not read it. */
const NONSTANDARD = '/.well-known/llms.txt';

/** How much of it is read, enough for its title, in bytes. */
const HEAD_BYTES = 16_384;

const PROBE: ProbeRequest = {
  method: 'GET',
  url: PATH,
  accept: 'text/plain, text/markdown, */*;q=0.1',
  maxBytes: MAX_BYTES,
};

function judge(seen: HostEvidence): Judgement {
  const reading = seen.read(PATH);
  const found = leadsOn(reading) ? subPathMap(seen) : undefined;
  const judgement = found ? judgeMap(found) : judgeRoot(reading);
  return {
    ...judgement,
    details: {
      ...judgement.details,
      ...(judgement.status === 'absent' && titledMap(NONSTANDARD, seen) ? { note: 'nonstandard_path' } : {}),
      markdownAlternate: hasMarkdownAlternate(seen) || undefined,
    },
  };
}

/**
 * A host may only have files for parts of its site. The search continues if the root has none, but not if it was
 * blocked.
 */
function leadsOn({ kind }: Reading): boolean {
  return kind === 'missing' || kind === 'html' || kind === 'empty';
}

interface Linked {
  readonly url: string;
  readonly via: 'describedby' | 'ard';
}

/** Files for parts of the site: the one that the home page links with `describedby`, then those in the manifest. */
function linkedMaps(seen: HostEvidence): readonly Linked[] {
  const home = homeOf(seen);
  const described = (home ? linkedBy(home, 'describedby') : [])
    .map((url) => seen.resolve(url, home?.finalUrl))
    .filter((url) => url !== undefined && seen.isOwn(url) && new URL(url).pathname.endsWith('/llms.txt'))
    .map((url = ''): Linked => ({ url, via: 'describedby' }));
  const listed = ardDocuments(seen, 'llms').map((url): Linked => ({ url, via: 'ard' }));
  // The relation is also used for schemas and data, and the root was already requested.
  return [...described.slice(0, 1), ...listed].filter(({ url }) => seen.at(url) !== seen.at(PATH) || !seen.at(url));
}

function subPathMap(seen: HostEvidence): (Linked & { readonly answer: Answer; readonly map: Outline }) | undefined {
  for (const linked of linkedMaps(seen)) {
    const found = titledMap(linked.url, seen);
    if (found) return { ...linked, ...found };
  }
  return undefined;
}

function titledMap(url: string, seen: HostEvidence): { readonly answer: Answer; readonly map: Outline } | undefined {
  const answer = mapOf(seen.read(url));
  const map = answer && outlineOf(answer.body);
  return map && map.titles.length > 0 ? { answer, map } : undefined;
}

function followUps(seen: HostEvidence): readonly ProbeRequest[] {
  if (!leadsOn(seen.read(PATH)) || subPathMap(seen)) return [];
  const maps = linkedMaps(seen).map(({ url }): ProbeRequest => ({ ...PROBE, url, optional: true, declared: true }));
  // Agents do not read the file at this path. It is requested so that the owner can be told.
  const misplaced: ProbeRequest = { ...PROBE, url: NONSTANDARD, maxBytes: HEAD_BYTES, optional: 'last' };
  return [...maps, ...ardFollowUps(seen), ...(seen.read(PATH).kind === 'missing' ? [misplaced] : [])];
}

/** A copy of the home page for language models. */
function hasMarkdownAlternate(seen: HostEvidence): boolean {
  const home = homeOf(seen);
  const links = home ? linksOf(home) : [];
  return links.some(({ rel, type }) => rel.includes('alternate') && /^text\/markdown(?:;|$)/.test(type));
}

function judgeMap({ url, via, answer, map }: NonNullable<ReturnType<typeof subPathMap>>): Judgement {
  const { pathname } = new URL(url);
  const details = {
    ...detailsOf(map, answer),
    path: pathname,
    scope: pathname.slice(0, pathname.lastIndexOf('/') + 1),
    foundVia: via,
  };
  return { status: 'present', details, findings: findingsOf(map, answer, pathname), decidedBy: [answer] };
}

function judgeRoot(reading: Reading): Judgement {
  // By behaviour 5.9, HTML is partial here and not absent, even on a host with one page for every path.
  if (reading.kind === 'html' || reading.kind === 'empty') {
    const note = reading.kind === 'html' ? 'html_not_machine_document' : 'empty_body';
    const catchAll = (reading.kind === 'html' && reading.catchAll) || undefined;
    return { status: 'partial', details: { note, bytes: reading.answer.bytes, catchAll }, decidedBy: [reading.answer] };
  }
  const answer = mapOf(reading);
  if (!answer) return nothingFound([reading]);

  const map = outlineOf(answer.body);
  const details = detailsOf(map, answer);
  if (map.titles.length === 0) {
    return { status: 'partial', details: { ...details, note: 'llms_no_h1' }, decidedBy: [answer] };
  }
  return { status: 'present', details, findings: findingsOf(map, answer, PATH), decidedBy: [answer] };
}

function detailsOf(map: Outline, answer: Answer): JsonObject {
  return {
    bytes: answer.bytes,
    truncated: answer.truncated || undefined,
    name: map.titles[0],
    sections: map.sections,
    links: map.links,
    hasFull: answer.body.includes('llms-full.txt'),
  };
}

/** The response with a valid file. Text that starts with a Markdown link looks like JSON at first. */
function mapOf(reading: Reading): Answer | undefined {
  if (reading.kind === 'text') return reading.answer;
  const answer =
    reading.kind === 'broken_json' ? reading.answer : reading.kind === 'blocked' ? reading.exchange : undefined;
  const unread = reading.kind === 'broken_json' || (reading.kind === 'blocked' && reading.reason === 'too_large');
  if (!unread || answer?.kind !== 'answer' || !/^\uFEFF?\s{0,100}\[/.test(answer.body)) return undefined;
  const { titles, links } = outlineOf(answer.body);
  return titles.length + links > 0 ? answer : undefined;
}

function findingsOf(map: Outline, answer: Answer, path: string): readonly Finding[] {
  const { bytes, body } = answer;
  return findingsWhere([
    [map.titles.length > 1, 'several_h1', path],
    [!map.summary, 'no_summary', path],
    [map.links === 0, 'no_links', path],
    [map.brokenLinks > 0, 'malformed_links', path],
    [bytes > LONG_MAP_BYTES, 'longer_than_agents_read', path],
    [bytes > LARGE_MAP_BYTES && bytes <= LONG_MAP_BYTES, 'large_map', path],
    [mediaType(answer) === 'text/html', 'served_as_html', path],
    [body.includes('\uFFFD'), 'invalid_utf8', path],
  ]);
}

const EXAMPLE =
  '# <name of the site>\n\n> What the site is, in one sentence.\n\n## Docs\n\n- [API](https://{host}/docs/api.md): how to call it';

function advise(judgement: Judgement): readonly FixAdvice[] {
  if (judgement.status === 'absent') {
    return [
      {
        kind: 'missing',
        problem: 'No llms.txt was found.',
        fix: `Serve a Markdown file at ${PATH} as text/plain or text/markdown. It starts with a title line:\n${EXAMPLE}`,
      },
    ];
  }
  if (judgement.status !== 'partial') return [];
  const problem = DOCUMENT_PROBLEMS[detailOf(judgement, 'note') ?? ''] ?? 'has no title line ("# Name").';
  const fix = `Serve Markdown text at ${PATH} that starts with a title line:\n${EXAMPLE}`;
  return [{ kind: 'partial', problem: `${PATH} ${problem}`, fix }];
}

/** llms.txt: an overview of a site for language models. Community proposal, https://llmstxt.org/; behaviour 5.9. */
export const llms = defineDetector({
  id: 'llms',
  name: { short: 'llms.txt', long: 'map for language models' },
  spec: 'https://llmstxt.org/',
  rules: { release: '2026-08', checked: '2026-11-22' },
  gain: { priority: 2, effort: 'minutes', why: 'Language models read this map before they read pages.' },
  probes: [PROBE, ARD_PROBE],
  followUps,
  judge,
  advise,
});
