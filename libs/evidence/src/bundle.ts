import { createHash } from 'node:crypto';
import { isWhole, list, member, text, type Exchange, type JsonValue, type ProtocolCell } from '@app/detectors';
import { without } from '@app/platform';
import { bodyBytes } from './limits';
import { derivedLine, exchangeLine, exchangeOf, keptHash, type DerivedLine, type Head, type Line } from './lines';
import { leafHash, merkleRoot } from './merkle';
import { mayLeakKey, redacted } from './redaction';

/** Why a bundle contains only the hash of a body. */
export type WithheldReason = 'private_key' | 'opt_out' | 'legal';

export interface StoredBody {
  readonly bytes: Buffer;
  /** It may contain a private key: it is kept for re-evaluation, but never shown. */
  readonly leaks: boolean;
}

/** The verifiable evidence of a probe: lines under a root, and the bodies whose hashes they contain. */
export interface Bundle {
  /** Hex. */
  readonly root: string;
  readonly lines: readonly string[];
  /** In the order of their first mention in the lines. */
  readonly bodies: ReadonlyMap<string, StoredBody>;
}

/** The data about the probe in the head. */
export type Subject = Pick<Head, 'domain' | 'origin' | 'prober' | 'rules'> & {
  /** The number of exchanges that exceeded the limits. */
  readonly leftOut: number;
};

/** Exchanges as they are stored and published: without credentials, each body with its metadata. */
export interface KeptExchanges {
  readonly exchanges: readonly Exchange[];
  /** The original hashes of withheld bodies. */
  readonly leaking: ReadonlySet<string>;
}

/** @param cells the findings: if a detector found a private key, the body is withheld */
export function keptExchanges(exchanges: readonly Exchange[], cells: readonly ProtocolCell[]): KeptExchanges {
  const found = cells.flatMap(rowsOf).filter((row) => member(row, 'excerpt') === null && isDocument(row));
  const leaking = new Set(found.flatMap((row) => text(member(row, 'sha256')) ?? []));
  const innocent = new Map<string, string>(); // a host may send one long body for every path
  for (const exchange of exchanges) {
    if (exchange.kind === 'failure' || leaking.has(exchange.sha256)) continue;
    const { sha256, body } = exchange;
    if (innocent.get(sha256) === body) continue;
    if (mayLeakKey(body)) leaking.add(sha256);
    else innocent.set(sha256, body);
  }
  return { exchanges: exchanges.map(redacted), leaking };
}

/** The public exchanges, with empty text in place of withheld bodies. */
export function shownExchanges({ exchanges, leaking }: KeptExchanges): readonly Exchange[] {
  return exchanges.map((exchange) => {
    if (exchange.kind === 'failure' || !leaking.has(exchange.sha256)) return exchange;
    return { ...without(exchange, 'raw'), body: '' };
  });
}

/** Hashes of bodies that are not completely in the bundle. */
export function partialBodies({ exchanges, leaking }: KeptExchanges): ReadonlySet<string> {
  return new Set(
    exchanges.flatMap((one) =>
      one.kind === 'answer' && (leaking.has(one.sha256) || !isWhole(one)) ? [one.sha256] : [],
    ),
  );
}

/**
 * Builds a bundle; equal arguments give equal bundles on any machine. @param derived cells that cannot be derived from
 * the published exchanges
 */
export function makeBundle(subject: Subject, kept: KeptExchanges, derived: readonly ProtocolCell[]): Bundle {
  const lines = [...kept.exchanges.map(exchangeLine), ...derived.map(derivedLine)];
  const { leftOut, ...about } = subject;
  const times = kept.exchanges.map(({ observedAt }) => observedAt).toSorted();
  const [from = EPOCH, to = EPOCH] = [times[0], times.at(-1)];
  const head: Head = {
    hostprobe: 'bundle/1',
    ...about,
    hash: 'rfc9162-sha256',
    from,
    to,
    lines: lines.length + 1,
    leftOut,
  };
  const texts = [head, ...lines].map((line) => JSON.stringify(line));
  return { root: rootOf(texts), lines: texts, bodies: bodiesOf(kept) };
}

/** The root of a bundle's lines, in hex. */
export function rootOf(lines: readonly string[]): string {
  return merkleRoot(lines.map((line) => leafHash(Buffer.from(line)))).toString('hex');
}

/** The exchanges of the lines. @param bodies the available ones, by hash */
export function exchangesOf(lines: readonly Line[], bodies: ReadonlyMap<string, Uint8Array>): readonly Exchange[] {
  return lines
    .filter((line): line is Exclude<Line, DerivedLine> => line.kind !== 'derived')
    .map((line) => exchangeOf(line, line.kind === 'answer' ? bodies.get(keptHash(line)) : undefined));
}

/** The exchanges that a cell shows as its evidence, as rows of its report. */
export function rowsOf(cell: ProtocolCell) {
  return list(cell.details['evidence']) ?? [];
}

/**
 * If a detector found a key, it omits the excerpts of all its rows, but only answers with content can contain the key.
 */
function isDocument(row: JsonValue): boolean {
  const [status, bytes] = [member(row, 'status'), member(row, 'bytes')];
  return typeof status === 'number' && status < 300 && bytes !== 0;
}

/** The time of a probe without exchanges, which does not occur. */
const EPOCH = '1970-01-01T00:00:00.000Z';

function bodiesOf({ exchanges, leaking }: KeptExchanges): ReadonlyMap<string, StoredBody> {
  const bodies = new Map<string, StoredBody>();
  for (const exchange of exchanges) {
    if (exchange.kind === 'failure') continue;
    const bytes = bodyBytes(exchange);
    const name = isWhole(exchange) ? exchange.sha256 : createHash('sha256').update(bytes).digest('hex');
    if (!bodies.has(name)) bodies.set(name, { bytes, leaks: leaking.has(exchange.sha256) });
  }
  return bodies;
}
