import { defineDetector, type FixAdvice, type Finding, type Judgement } from './detector';
import type { HostEvidence } from './host-evidence';
import { nothingFound } from './verdict';

const PATH = '/llms.txt';

/** Largest map worth reading; one real vendor serves 4.56 MB. Beyond it the head decides and `truncated` is set. */
const MAX_BYTES = 5_000_000;

/** Agents cut maps above this many octets. */
const LONG_MAP_BYTES = 100_000;

/** Text looked at for the outline; a map's head decides, and a hostile megabyte must not be scanned line by line. */
const PARSED_CHARS = 262_144;

interface Outline {
  readonly titles: readonly string[];
  readonly sections: number;
  readonly links: number;
  readonly brokenLinks: number;
  readonly optional: boolean;
}

/** Reads the outline of the proposal's grammar (https://llmstxt.org/): only the H1 is required; code fences are skipped. */
function outline(body: string): Outline {
  const titles: string[] = [];
  let [sections, links, brokenLinks, optional, fenced] = [0, 0, 0, false, false];
  for (const line of body
    .slice(0, PARSED_CHARS)
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)) {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) fenced = !fenced;
    if (fenced) continue;
    const title = /^\s{0,3}#[ \t]+(\S.*)$/.exec(line.slice(0, 1_000))?.[1];
    if (title !== undefined) titles.push(title.trim());
    if (/^\s{0,3}##[ \t]+\S/.test(line)) {
      sections += 1;
      optional ||= /^\s{0,3}##[ \t]+optional\s*$/i.test(line);
    }
    links += countMatches(line, /\[[^\][]{0,300}\]\([^()\s]{1,2000}\)/g);
    brokenLinks += countMatches(line, /\[[^\][]{0,300}\]\s+\((?:https?:|\/)/g);
  }
  return { titles, sections, links, brokenLinks, optional };
}

function countMatches(line: string, pattern: RegExp): number {
  return line.length > 10_000 ? 0 : (line.match(pattern)?.length ?? 0);
}

function judge(seen: HostEvidence): Judgement {
  const reading = seen.read(PATH);
  // Spec 2.6: HTML here is partial, not absent, also on a host that shows one page for everything.
  if (reading.kind === 'html') {
    const catchAll = reading.habitual ? { catchAll: true } : {};
    return {
      status: 'partial',
      details: { note: 'html_not_machine_document', bytes: reading.answer.bytes, ...catchAll },
      decidedBy: [reading.answer],
    };
  }
  if (reading.kind === 'empty') {
    return {
      status: 'partial',
      details: { note: 'empty_body', bytes: reading.answer.bytes },
      decidedBy: [reading.answer],
    };
  }
  if (reading.kind !== 'text') return nothingFound([reading]);

  const { answer } = reading;
  const map = outline(answer.body);
  const details = {
    bytes: answer.bytes,
    ...(answer.truncated ? { truncated: true } : {}),
    ...(map.titles[0] === undefined ? {} : { name: map.titles[0] }),
    sections: map.sections,
    links: map.links,
    optional: map.optional,
  };
  if (map.titles.length === 0) {
    return { status: 'partial', details: { ...details, note: 'llms_no_h1' }, decidedBy: [answer] };
  }
  return { status: 'present', details, findings: findingsOf(map, answer.bytes), decidedBy: [answer] };
}

function findingsOf(map: Outline, bytes: number): readonly Finding[] {
  return [
    ...(map.titles.length > 1 ? [{ id: 'several_h1', at: PATH }] : []),
    ...(map.links === 0 ? [{ id: 'no_links', at: PATH }] : []),
    ...(map.brokenLinks > 0 ? [{ id: 'malformed_links', at: PATH }] : []),
    ...(bytes > LONG_MAP_BYTES ? [{ id: 'longer_than_agents_read', at: PATH }] : []),
  ];
}

const EXAMPLE =
  '# Example Shop\n\n> What the site is, in one sentence.\n\n## Docs\n\n- [API](https://example.com/docs/api.md): how to call it';

function advise(judgement: Judgement): readonly FixAdvice[] {
  if (judgement.status === 'absent') {
    return [
      {
        kind: 'missing',
        problem: 'No llms.txt map was found.',
        fix: `Serve a Markdown text at ${PATH} as text/plain or text/markdown, starting with a title line:\n${EXAMPLE}`,
      },
    ];
  }
  if (judgement.status !== 'partial') return [];
  const note = judgement.details?.['note'];
  const problem =
    note === 'html_not_machine_document'
      ? `${PATH} answered with an HTML page.`
      : note === 'empty_body'
        ? `${PATH} answered with an empty body.`
        : `${PATH} has no title line ("# Name").`;
  return [
    { kind: 'partial', problem, fix: `Answer ${PATH} with Markdown text that starts with a title line:\n${EXAMPLE}` },
  ];
}

/** llms.txt: the map of a site for language models. Community proposal, https://llmstxt.org/; spec 2.6. */
export const llms = defineDetector({
  id: 'llms',
  spec: 'https://llmstxt.org/',
  probes: [{ method: 'GET', url: PATH, accept: 'text/plain, text/markdown, */*;q=0.1', maxBytes: MAX_BYTES }],
  judge,
  advise,
});
