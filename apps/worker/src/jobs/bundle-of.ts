import { VERSION } from '@app/config';
import { RULES, type Exchange, type HostEvidenceInput, type ProtocolCell } from '@app/detectors';
import { derivedCells, keptExchanges, makeBundle, partialBodies, shownExchanges, type Bundle } from '@app/evidence';

/** The findings of a probe, and the exchanges that fit the limits. */
interface JudgedEvidence {
  readonly known: HostEvidenceInput;
  /** The origin of the report. */
  readonly origin: string;
  readonly kept: readonly Exchange[];
  readonly cells: readonly ProtocolCell[];
}

/**
 * The verifiable evidence of a probe. If something is not kept exactly as the detectors saw it, they run again on the
 * kept data, as any verifier would, and cells with a different result are stored in the bundle as they were.
 * @param judge runs the detectors in another thread
 */
export async function bundleOf(
  { known, origin, kept, cells }: JudgedEvidence,
  judge: (known: HostEvidenceInput) => Promise<{ readonly cells: readonly ProtocolCell[] }>,
): Promise<Bundle> {
  const { domain, exchanges } = known;
  const leftOut = exchanges.length - kept.length;
  const stored = keptExchanges(kept, cells);
  const whole = leftOut === 0 && partialBodies(stored).size === 0;
  const again = whole ? cells : (await judge({ ...known, exchanges: shownExchanges(stored) })).cells;
  const subject = { domain, origin, prober: `hostprobe/${VERSION}`, rules: RULES.version, leftOut };
  return makeBundle(subject, stored, derivedCells(cells, again, stored));
}
