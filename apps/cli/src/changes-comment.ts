import { text, type CellStatus } from '@app/detectors';
import { isReason, REASONS, type HostFacts } from '@app/reports';
import { causeIn, commonReason } from './report-page';
import { holdAgainst, type Gate } from './terminal/gate';
import { oneLine } from './terminal/paint';

/** The maximum length of a quoted name or sentence, in characters. */
const MAX_QUOTED = 200;
/** The maximum number of fixes listed per kind. */
const MAX_FIXES = 10;

const STATUS_WORDS: Readonly<Record<CellStatus, string>> = {
  present: 'present',
  partial: 'partial',
  absent: 'absent',
  undiscoverable: 'not visible from outside',
  error: 'could not be checked',
};

/**
 * A Markdown comment for a pull request that says how a change to a site affects agents. The first line identifies
 * the host, so that a later comment can replace this one.
 * @param context what to compare the host with
 */
export function changesComment(after: HostFacts, { before, gate, note }: CommentContext): string {
  const parts = [
    markOf(after.domain),
    `### Agent readiness of ${quoted(after.domain)}`,
    ...bodyOf(after, before),
    ...(gate.length === 0 ? [] : [gateLine(after, gate)]),
    ...(note === undefined ? [] : [note]),
  ];
  return `${parts.join('\n\n')}\n`;
}

interface CommentContext {
  /** The report before the change; if undefined, the comment lists every protocol. */
  readonly before: HostFacts | undefined;
  readonly gate: Gate;
  /** How the host was probed, if not in the usual way. */
  readonly note: string | undefined;
}

function bodyOf(after: HostFacts, before: HostFacts | undefined): readonly string[] {
  const reason = commonReason(after);
  if (reason !== undefined) return [`Nothing could be checked. ${causeIn(after, reason)} ${REASONS[reason].remedy}`];
  if (before) return comparison(before, after);
  return [
    table(
      ['protocol', 'status'],
      after.protocols.map(({ id }) => [quoted(id), wordsOf(after, id)]),
    ),
  ];
}

/** A marker that identifies the comments about one host. */
function markOf(domain: string): string {
  return `<!-- hostprobe ${oneLine(domain).replace(/[^\w.-]/g, '')} -->`;
}

function comparison(before: HostFacts, after: HostFacts): readonly string[] {
  const statusBefore = (id: string): CellStatus | undefined => before.protocols.find((cell) => cell.id === id)?.status;
  const changed = after.protocols.filter(({ id, status }) => statusBefore(id) !== status);
  const [paidBefore, paidAfter] = [before, after].map(({ paymentRails }) => paymentRails.payable);
  const rows = changed.map(({ id }) => [quoted(id), wordsOf(before, id), wordsOf(after, id)]);
  if (paidBefore !== paidAfter) rows.push(['payment', payableWords(paidBefore), payableWords(paidAfter)]);
  const fixes = fixLines(before, after);
  if (rows.length + fixes.length === 0) return ['No change for agents.'];
  return [...(rows.length === 0 ? [] : [table(['', 'before', 'after'], rows)]), ...fixes];
}

function fixLines(before: HostFacts, after: HostFacts): readonly string[] {
  const without = (some: HostFacts, others: HostFacts) =>
    some.fixes.filter(({ id }) => !others.fixes.some((other) => other.id === id)).slice(0, MAX_FIXES);
  const lines = [
    ...without(after, before).map(({ id, problem }) => `- new: ${quoted(id)} ${quoted(problem)}`),
    ...without(before, after).map(({ id }) => `- no longer reported: ${quoted(id)}`),
  ];
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function gateLine(facts: HostFacts, gate: Gate): string {
  const findings = holdAgainst(gate, (id) => facts.protocols.find((cell) => cell.id === id)?.status);
  const isMet = findings.every(({ outcome }) => outcome === 'met');
  const causes = new Set(
    findings.flatMap(({ id, outcome }) => (outcome === 'undecided' ? (causeOf(facts, id) ?? []) : [])),
  );
  const list = findings.map(({ id, remark }) => `${quoted(id)} ${remark}`).join(', ');
  return [`The gate ${isMet ? 'passed' : 'failed'}: ${list}.`, ...causes].join(' ');
}

/** The status of a protocol, with the reason if it could not be checked. */
function wordsOf(facts: HostFacts, id: string): string {
  const cell = facts.protocols.find((one) => one.id === id);
  return cell === undefined ? 'not probed' : [STATUS_WORDS[cell.status], causeOf(facts, id)].filter(Boolean).join(': ');
}

function causeOf(facts: HostFacts, id: string): string | undefined {
  const cell = facts.protocols.find((one) => one.id === id);
  const reason = text(cell?.details['reason']);
  return cell?.status === 'error' && reason !== undefined && isReason(reason) ? causeIn(facts, reason) : undefined;
}

function payableWords(payable: boolean | undefined): string {
  return payable ? 'an agent can pay' : 'an agent cannot pay';
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Formats text from a host as code, so that it cannot mention a user, create a link or end a table cell. */
function quoted(text: string): string {
  return `\`${oneLine(text).replace(/[`|]/g, "'").slice(0, MAX_QUOTED)}\``;
}
