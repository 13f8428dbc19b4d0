import { DETECTORS, HostEvidence, judgeHost, member, text, type ProtocolCell } from '@app/detectors';
import { canonicalJson, paymentRails, shortCell, type HostFacts, type PaymentRails } from '@app/reports';
import { exchangesIn, type ReadBundle } from './bundle-file';
import { rowsOf } from './bundle';
import { restsOn, sameCell } from './derived';
import { keptHash } from './lines';

/** The results of this release's detectors for a bundle. */
export interface JudgedBundle {
  readonly cells: readonly ProtocolCell[];
  readonly rails: PaymentRails;
}

/** Whether a cell has the stated result; `not_rejudged` if the bundle is not sufficient. */
export interface ComparedCell {
  readonly id: string;
  readonly result: 'same' | 'differs' | 'not_rejudged';
  readonly stated: string;
  readonly judged: string;
  /** Why it could not be checked. */
  readonly because?: 'body_not_whole' | 'body_missing' | 'not_in_bundle';
}

export function judgeBundle(bundle: ReadBundle): JudgedBundle {
  const { origin, site } = bundle.host;
  const seen = new HostEvidence({ domain: bundle.head.domain, origin, site, exchanges: exchangesIn(bundle) });
  return { cells: judgeHost(DETECTORS, seen).cells, rails: paymentRails(seen) };
}

/** Compares the cells of a report with the results from its bundle. */
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

/** Compares the cells in a statement, by id, with the results from the bundle. */
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
 * Compares the payment options of a report with those of the bundle, if one full probe produced both; a report also
 * keeps options from earlier probes.
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

/** Compares the results that depend on all exchanges. */
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
  // A missing body may have influenced more than the cells that show it.
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

/** The original hashes of bodies that are missing in the file. */
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
