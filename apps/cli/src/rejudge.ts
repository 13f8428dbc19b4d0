import {
  DETECTORS,
  HostEvidence,
  judgeHost,
  list,
  member,
  text,
  type Exchange,
  type ProtocolCell,
} from '@app/detectors';
import { originFrom, paymentRails, type HostFacts, type HostName } from '@app/reports';

/** What judging a host's stored evidence again would change about one protocol. */
export interface Rejudgement {
  readonly protocol: string;
  readonly before: string;
  readonly after: string;
  /** Members of the details that would differ; a verdict may stay while its findings change. */
  readonly details: readonly string[];
}

export interface RejudgedHost {
  readonly domain: string;
  readonly changes: readonly Rejudgement[];
  /** Ids of fixes that would come and go. */
  readonly newFixes: readonly string[];
  readonly droppedFixes: readonly string[];
  /** Before and after, when it would change. */
  readonly payable?: readonly [before: boolean, after: boolean];
}

/**
 * Judges stored evidence with today's detectors and compares with the stored report. Cells that were refreshed on their
 * own rest on newer evidence than what is stored and are left out.
 */
export function rejudge(host: HostName, facts: HostFacts, exchanges: readonly Exchange[]): RejudgedHost {
  const seen = new HostEvidence({
    domain: host.ascii,
    origin: originFrom(host, exchanges),
    site: host.site,
    exchanges,
  });
  const { cells, fixes } = judgeHost(DETECTORS, seen);
  const times = new Set(exchanges.map(({ observedAt }) => observedAt));
  const own = new Set(facts.protocols.filter((cell) => !restsOn(times, cell)).map(({ id }) => id));
  const compared = (protocol: string): boolean => !own.has(protocol);
  const [was, is] = [facts.fixes, fixes].map(
    (all) => new Set(all.filter(({ protocol }) => compared(protocol)).map(({ id }) => id)),
  ) as [Set<string>, Set<string>];
  const payable = paymentRails(seen).payable;
  return {
    domain: host.ascii,
    changes: cells.filter(({ id }) => compared(id)).flatMap((cell) => changeOf(cell, facts.protocols)),
    newFixes: [...is].filter((id) => !was.has(id)),
    droppedFixes: [...was].filter((id) => !is.has(id)),
    ...(payable === facts.paymentRails.payable ? {} : { payable: [facts.paymentRails.payable, payable] }),
  };
}

/** Whether anything would change. */
export function differs({ changes, newFixes, droppedFixes, payable }: RejudgedHost): boolean {
  return changes.length + newFixes.length + droppedFixes.length > 0 || payable !== undefined;
}

function restsOn(times: ReadonlySet<string>, cell: ProtocolCell): boolean {
  return (list(cell.details['evidence']) ?? []).every((exchange) =>
    times.has(text(member(exchange, 'observedAt')) ?? ''),
  );
}

function changeOf(cell: ProtocolCell, stored: readonly ProtocolCell[]): readonly Rejudgement[] {
  const before = stored.find(({ id }) => id === cell.id);
  const details = changedMembers(before?.details ?? {}, cell.details);
  const [was, is] = [verdictOf(before), verdictOf(cell)];
  return was === is && details.length === 0 ? [] : [{ protocol: cell.id, before: was, after: is, details }];
}

function verdictOf(cell: ProtocolCell | undefined): string {
  if (!cell) return 'not judged';
  return cell.version === null ? cell.status : `${cell.status} ${cell.version}`;
}

function changedMembers(before: ProtocolCell['details'], after: ProtocolCell['details']): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => canonical(before[name]) !== canonical(after[name])).sort();
}

/** The stored report went through JSON, which drops undefined members; the order of members says nothing. */
function canonical(value: unknown): string {
  if (value === undefined) return '';
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
