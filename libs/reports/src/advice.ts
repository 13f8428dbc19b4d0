import { findDetector, member, text, type Fix, type ProtocolCell } from '@app/detectors';
import type { HostFacts } from './host-report';
import { isCatchAll } from './summary';

/** Fixes shown in full to people and in Markdown; the JSON has all of them in full. */
const LEADING = 5;

/** The advice of a report as people read it (behaviour 4.6). The JSON has all fixes in their order. */
export interface Advice {
  /** What to do before all else, as a sentence. */
  readonly first: string | undefined;
  /** What to fix, in full. */
  readonly leading: readonly Fix[];
  /** What to fix as well, a line each. */
  readonly folded: readonly Fix[];
  /** What a host that sells nothing could add in order to sell. */
  readonly additions: readonly Fix[];
}

/**
 * Sorts the fixes of a report. A host without any intent to sell is not told to take payments; the advice is kept under
 * what it could add. A retired format that the host does not publish is left out.
 */
export function adviceOf(facts: Pick<HostFacts, 'fixes' | 'protocols' | 'paymentRails'>): Advice {
  const fixes = facts.fixes.filter((fix) => !(isMissing(fix) && findDetector(fix.protocol)?.retired));
  const sells = intendsToSell(facts);
  const isAddition = (fix: Fix): boolean => !sells && findDetector(fix.protocol)?.sells === true;
  const wanted = fixes.filter((fix) => !isAddition(fix));
  return {
    first: isCatchAll(facts) ? ANSWER_404 : undefined,
    leading: wanted.slice(0, LEADING),
    folded: wanted.slice(LEADING),
    additions: fixes.filter(isAddition),
  };
}

const ANSWER_404 =
  'First, answer 404 for every path that has no file. For those paths your server sends the same web page, and agents mistake it for the file they requested.';

function isMissing({ id }: Fix): boolean {
  return id.endsWith('.missing');
}

/** Whether a host asked for payment, or publishes a price or a protocol of those who sell. */
function intendsToSell({ protocols, paymentRails }: Pick<HostFacts, 'protocols' | 'paymentRails'>): boolean {
  return paymentRails.rails.length > 0 || protocols.some(showsIntent);
}

/** The page of a catch-all says nothing. ACP cannot be seen from outside, but a host may publish its discovery file. */
function showsIntent({ id, status, details }: ProtocolCell): boolean {
  if (typeof details['pricedOperations'] === 'number') return true;
  if (text(member(details['observed'], 'verdict')) === 'present') return true;
  const isFound = (status === 'present' || status === 'partial') && details['catchAll'] !== true;
  return isFound && findDetector(id)?.sells === true;
}
