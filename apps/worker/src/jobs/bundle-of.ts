import { VERSION } from '@app/config';
import { RULES, type Exchange, type HostEvidenceInput, type ProtocolCell } from '@app/detectors';
import { derivedCells, keptExchanges, makeBundle, partialBodies, shownExchanges, type Bundle } from '@app/evidence';

/** A probe that was judged, and what of its exchanges there is room for. */
interface JudgedEvidence {
  readonly known: HostEvidenceInput;
  /** That of the report. */
  readonly origin: string;
  readonly kept: readonly Exchange[];
  readonly cells: readonly ProtocolCell[];
}

/**
 * What a probe leaves behind to be checked. Where something is not kept as it was judged, the rest is judged once more, as
 * everybody can do it, and cells that come out differently stay in the bundle as they were derived.
 * @param judge another thread's judgement of exchanges
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
