import { defineDetector, type FixAdvice, type Finding, type Judgement } from './detector';
import { mediaType, type Answer } from './exchange';
import type { HostEvidence } from './host-evidence';
import { outlineOf, type Outline } from './llms/outline';
import type { Reading } from './reading';
import { nothingFound } from './verdict';

const PATH = '/llms.txt';

/** Largest map worth reading; one real vendor serves 4.56 MB. Beyond it the head decides and `truncated` is set. */
const MAX_BYTES = 5_000_000;

/** Agents cut maps above this many octets. */
const LONG_MAP_BYTES = 100_000;

/** From here on a map is long for a context window. */
const LARGE_MAP_BYTES = 50_000;

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
  const answer = mapOf(reading);
  if (!answer) return nothingFound([reading]);

  const map = outlineOf(answer.body);
  const details = {
    bytes: answer.bytes,
    ...(answer.truncated ? { truncated: true } : {}),
    ...(map.titles[0] === undefined ? {} : { name: map.titles[0] }),
    sections: map.sections,
    links: map.links,
    optional: map.optional,
    hasFull: answer.body.includes('llms-full.txt'),
  };
  if (map.titles.length === 0) {
    return { status: 'partial', details: { ...details, note: 'llms_no_h1' }, decidedBy: [answer] };
  }
  return { status: 'present', details, findings: findingsOf(map, answer), decidedBy: [answer] };
}

/** The answer that holds a map. A text that starts with a Markdown link starts like JSON and is none. */
function mapOf(reading: Reading): Answer | undefined {
  if (reading.kind === 'text') return reading.answer;
  const answer =
    reading.kind === 'broken_json' ? reading.answer : reading.kind === 'blocked' ? reading.exchange : undefined;
  const unread = reading.kind === 'broken_json' || (reading.kind === 'blocked' && reading.reason === 'too_large');
  if (!unread || answer?.kind !== 'answer' || !/^\uFEFF?\s{0,100}\[/.test(answer.body)) return undefined;
  const { titles, links } = outlineOf(answer.body);
  return titles.length + links > 0 ? answer : undefined;
}

function findingsOf(map: Outline, answer: Answer): readonly Finding[] {
  const { bytes, body } = answer;
  const faults: readonly (readonly [boolean, string])[] = [
    [map.titles.length > 1, 'several_h1'],
    [!map.summary, 'no_summary'],
    [map.links === 0, 'no_links'],
    [map.brokenLinks > 0, 'malformed_links'],
    [bytes > LONG_MAP_BYTES, 'longer_than_agents_read'],
    [bytes > LARGE_MAP_BYTES && bytes <= LONG_MAP_BYTES, 'large_map'],
    [mediaType(answer) === 'text/html', 'served_as_html'],
    [body.includes('\uFFFD'), 'invalid_utf8'],
  ];
  return faults.flatMap(([found, id]) => (found ? [{ id, at: PATH }] : []));
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
  name: { short: 'llms.txt', long: 'map for language models' },
  spec: 'https://llmstxt.org/',
  probes: [{ method: 'GET', url: PATH, accept: 'text/plain, text/markdown, */*;q=0.1', maxBytes: MAX_BYTES }],
  judge,
  advise,
});
