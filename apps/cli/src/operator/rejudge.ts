import {
  DETECTORS,
  HostEvidence,
  RULES,
  signalsAfter,
  judgeHost,
  member,
  text,
  type Exchange,
  type Fix,
  type ProtocolCell,
} from '@app/detectors';
import { rowsOf } from '@app/evidence';
import { defined } from '@app/platform';
import { type HostName } from '@app/hosts';
import { canonicalJson, mergeCell, offeredRails, paymentRails, type HostFacts, type Rejudged } from '@app/reports';

/** The changes to one protocol when its detector runs again on the stored evidence. */
interface Rejudgement {
  readonly protocol: string;
  readonly before: string;
  readonly after: string;
  /** Members of the details that would change; they can change while the status stays the same. */
  readonly details: readonly string[];
}

export interface RejudgedHost {
  readonly domain: string;
  readonly changes: readonly Rejudgement[];
  /** Ids of the fixes that would appear and disappear. */
  readonly newFixes: readonly string[];
  readonly droppedFixes: readonly string[];
  /** Set if it would change. */
  readonly payable?: readonly [before: boolean, after: boolean];
}

/** A rejudged host: the changes to print and the results to save. */
export interface RejudgedReport {
  readonly host: RejudgedHost;
  readonly facts: HostFacts;
  readonly drift: Rejudged;
}

/**
 * Runs the current detectors on stored evidence and compares the result with the stored report. Cells that were
 * refreshed separately are left out, because their evidence is newer than the stored evidence.
 */
export function rejudge(host: HostName, facts: HostFacts, exchanges: readonly Exchange[], at: Date): RejudgedReport {
  const seen = new HostEvidence({
    domain: host.ascii,
    origin: host.origin,
    site: host.site,
    exchanges,
  });
  const { cells, fixes, signals } = judgeHost(DETECTORS, seen);
  const times = new Set(exchanges.map(({ observedAt }) => observedAt));
  const own = new Set(facts.protocols.filter((cell) => !restsOn(times, cell)).map(({ id }) => id));
  const compared = (protocol: string): boolean => !own.has(protocol);
  const [was, is] = [facts.fixes, fixes].map(
    (all) => new Set(all.filter(({ protocol }) => compared(protocol)).map(({ id }) => id)),
  ) as [Set<string>, Set<string>];
  const rails = { ...paymentRails(seen), checkedAt: facts.paymentRails.checkedAt };
  const changes = cells.filter(({ id }) => compared(id)).flatMap((cell) => changeOf(cell, facts.protocols));
  const changed = cells.filter(({ id }) => changes.some(({ protocol }) => protocol === id));
  const [before, { payable }] = [facts.paymentRails.payable, rails];
  return {
    host: {
      domain: host.ascii,
      changes,
      newFixes: [...is].filter((id) => !was.has(id)),
      droppedFixes: [...was].filter((id) => !is.has(id)),
      ...defined({ payable: payable === before ? undefined : ([before, payable] as const) }),
    },
    facts: {
      ...cells
        .filter(({ id }) => compared(id))
        .reduce((all, cell) => mergeCell(all, cell, fixesOf(fixes, cell)), facts),
      paymentRails: rails,
      signals: signalsAfter(facts.signals, signals),
      rules: RULES,
    },
    drift: {
      cells: changed,
      before: facts.protocols,
      rails: { ...rails, rails: offeredRails(seen) },
      phase: facts.callabilityProbedAt === undefined ? 'presence' : 'callability',
      at: at.toISOString(),
    },
  };
}

function fixesOf(fixes: readonly Fix[], { id }: ProtocolCell): readonly Fix[] {
  return fixes.filter(({ protocol }) => protocol === id);
}

/** Whether anything would change. */
export function differs({ changes, newFixes, droppedFixes, payable }: RejudgedHost): boolean {
  return changes.length + newFixes.length + droppedFixes.length > 0 || payable !== undefined;
}

function restsOn(times: ReadonlySet<string>, cell: ProtocolCell): boolean {
  return rowsOf(cell).every((exchange) => times.has(text(member(exchange, 'observedAt')) ?? ''));
}

function changeOf(cell: ProtocolCell, stored: readonly ProtocolCell[]): readonly Rejudgement[] {
  const before = stored.find(({ id }) => id === cell.id);
  const details = changedMembers(before?.details ?? {}, cell.details);
  const [was, is] = [statusOf(before), statusOf(cell)];
  return was === is && details.length === 0 ? [] : [{ protocol: cell.id, before: was, after: is, details }];
}

function statusOf(cell: ProtocolCell | undefined): string {
  if (!cell) return 'not judged';
  return cell.version === null ? cell.status : `${cell.status} ${cell.version}`;
}

function changedMembers(before: ProtocolCell['details'], after: ProtocolCell['details']): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => canonicalJson(before[name]) !== canonicalJson(after[name])).sort();
}
