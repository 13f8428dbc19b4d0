import { DETECTORS, HostEvidence, judgeHost, member, text, type ProtocolCell } from '@app/detectors';
import { canonicalJson, paymentRails, shortCell, type HostFacts, type PaymentRails } from '@app/reports';
import { exchangesIn, type ReadBundle } from './bundle-file';
import { rowsOf } from './bundle';
import { restsOn, sameCell } from './derived';
import { keptHash } from './lines';

/** What the detectors of this release conclude from a bundle. */
export interface JudgedBundle {
  readonly cells: readonly ProtocolCell[];
  readonly rails: PaymentRails;
}

/** Whether a cell comes out as it was stated; `not_rejudged` where the bundle cannot say it. */
export interface ComparedCell {
  readonly id: string;
  readonly result: 'same' | 'differs' | 'not_rejudged';
  readonly stated: string;
  readonly judged: string;
  /** Why it is not rejudged. */
  readonly because?: 'body_not_whole' | 'body_missing' | 'not_in_bundle';
}

export function judgeBundle(bundle: ReadBundle): JudgedBundle {
  const { origin, site } = bundle.host;
  const seen = new HostEvidence({ domain: bundle.head.domain, origin, site, exchanges: exchangesIn(bundle) });
  return { cells: judgeHost(DETECTORS, seen).cells, rails: paymentRails(seen) };
}

/** Compares the cells of a report with what the bundle is judged to be. */
export function compareReport(
  bundle: ReadBundle,
  judged: readonly ProtocolCell[],
  stated: readonly ProtocolCell[],
): readonly ComparedCell[] {
  const times = new Set(bundle.lines.flatMap((line) => (line.kind === 'derived' ? [] : [line.observedAt])));
  return stated.map((cell) => {
    const again = judged.find(({ id }) => id === cell.id);
    const elsewhere = rowsOf(cell).some((row) => !times.has(text(member(row, 'observedAt')) ?? ''));
    const because = elsewhere ? 'not_in_bundle' : unjudged(bundle, cell);
    const words = { stated: shortCell(cell), judged: wordOf(again) };
    return compared(bundle, { id: cell.id, ...words, same: sameCell(cell, again), because });
  });
}

/** Compares what a statement says of the cells, by id, with what the bundle is judged to be. */
export function compareStatement(
  bundle: ReadBundle,
  judged: readonly ProtocolCell[],
  stated: Readonly<Record<string, string>>,
): readonly ComparedCell[] {
  return Object.entries(stated).map(([id, said]) => {
    const again = judged.find((cell) => cell.id === id);
    const words = { stated: said, judged: wordOf(again) };
    return compared(bundle, { id, ...words, same: words.judged === said, because: again && unjudged(bundle, again) });
  });
}

/**
 * Compares the payment options of a report with those of the bundle, where one full probe saw both: those that an earlier
 * probe saw are kept in a report.
 */
export function compareRails(
  bundle: ReadBundle,
  judged: PaymentRails,
  {
    probedAt,
    callabilityProbedAt,
    paymentRails: stated,
  }: Pick<HostFacts, 'probedAt' | 'callabilityProbedAt' | 'paymentRails'>,
): readonly ComparedCell[] {
  if (probedAt === undefined || probedAt !== callabilityProbedAt) return [];
  const [said, again] = [stated, judged].map(({ payable, rails }) => ({ payable, rails }));
  const words = ({ payable, rails }: PaymentRails): string =>
    `${payable ? 'payable' : 'not payable'}, ${rails.length} options`;
  const same = canonicalJson(said) === canonicalJson(again);
  return [compareWhole(bundle, { id: 'paymentRails', stated: words(stated), judged: words(judged), same })];
}

/** Compares what all exchanges say together. */
export function compareWhole(bundle: ReadBundle, comparing: Omit<Comparing, 'because'>): ComparedCell {
  const partial =
    bundle.lines.some((line) => line.kind === 'derived') || bundle.head.leftOut > 0 || cut(bundle).size > 0;
  return compared(bundle, { ...comparing, because: !comparing.same && partial ? 'body_not_whole' : undefined });
}

interface Comparing extends Pick<ComparedCell, 'id' | 'stated' | 'judged'> {
  readonly same: boolean;
  readonly because: ComparedCell['because'] | undefined;
}

function compared(bundle: ReadBundle, { id, stated, judged, same, because }: Comparing): ComparedCell {
  // What is missing may have decided more than the cells that show it.
  const reason = because ?? (!same && missing(bundle).size > 0 ? 'body_missing' : undefined);
  if (reason) return { id, result: 'not_rejudged', stated, judged, because: reason };
  return { id, result: same ? 'same' : 'differs', stated, judged };
}

function wordOf(cell: ProtocolCell | undefined): string {
  return cell === undefined ? 'not judged' : shortCell(cell);
}

function unjudged(bundle: ReadBundle, cell: ProtocolCell): ComparedCell['because'] {
  if (bundle.lines.some((line) => line.kind === 'derived' && line.id === cell.id)) return 'body_not_whole';
  return restsOn(cell, missing(bundle)) ? 'body_missing' : restsOn(cell, cut(bundle)) ? 'body_not_whole' : undefined;
}

/** Hashes of bodies that are not in the file, as they were read. */
function missing({ lines, bodies }: ReadBundle): ReadonlySet<string> {
  return new Set(
    lines.flatMap((line) => {
      if (line.kind !== 'answer') return [];
      const body = bodies.get(keptHash(line));
      return body === undefined || 'withheld' in body ? [line.sha256] : [];
    }),
  );
}

function cut({ lines }: ReadBundle): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => (line.kind === 'answer' && line.kept ? [line.sha256] : [])));
}
