import type { StatementRepository } from '@app/persistence';
import { signJws } from '@app/statements';
import { LRUCache } from 'lru-cache';
import { isDay } from '../http/arguments';
import { DayTree } from './day-tree';
import type { ReportKeys } from './report-keys';

/** Where the roots are, by day. */
export const ROOTS_PATH = '/.well-known/hostprobe-roots';

/** Days that are over are signed so soon, in milliseconds. */
const ROUND_MS = 600_000;
const DAY_MS = 86_400_000;

/** Memory for days whose proofs were asked for, in bytes: 96 for each statement of a day. One that needs more is not kept. */
const KEPT_BYTES = 64 * 1_024 ** 2;
/** Of a day without a statement, whose root needs hardly any. */
const LEAST_BYTES = 1_024;

/** What never changes of a day that is over. */
interface SignedDay {
  readonly root: string;
  readonly tree: DayTree;
}

/** A day's root, and the way of one statement to it. */
export interface RootDocument {
  /** Compact JWS of type `hostprobe-root+jwt`. */
  readonly root: string;
  readonly inclusion?: {
    /** SHA-256 of the statement, base64url: the leaf is made of these 32 bytes. */
    readonly statement: string;
    readonly index: number;
    readonly size: number;
    /** In base64url, the lowest first (RFC 9162 section 2.1.3). */
    readonly path: readonly string[];
  };
}

export interface DailyRootsDeps {
  readonly baseUrl: string;
  readonly keys: Pick<ReportKeys, 'ring'>;
  readonly rows: Pick<StatementRepository, 'issuedOn' | 'daysWithoutRoot' | 'keepRoot' | 'root'>;
  readonly failed: (error: unknown) => void;
}

/**
 * One signed root over the statements first issued on each day (UTC): who keeps it can tell whether a statement was
 * backdated. Any gateway may sign it when the day is over; all of them make the same text.
 */
export class DailyRoots {
  private timer: NodeJS.Timeout | undefined;
  /** Readers of one day share one reading, and later ones need none. */
  private readonly days = new LRUCache<string, SignedDay>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ tree }) => LEAST_BYTES + tree.bytes,
    fetchMethod: (day) => this.read(day),
  });

  constructor(private readonly deps: DailyRootsDeps) {}

  start(): void {
    const round = (): void => void this.signDue().catch(this.deps.failed);
    round();
    this.timer = setInterval(round, ROUND_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Signs the days that are over and have no root yet. */
  async signDue(): Promise<void> {
    const { rows } = this.deps;
    for (const day of await rows.daysWithoutRoot()) {
      await rows.keepRoot(day, await this.sign(day, await rows.issuedOn(day)));
    }
  }

  /** @param day as it stands in the address @param statement SHA-256 of one of that day */
  async ofDay(day: string, statement: Buffer | undefined): Promise<RootDocument | undefined> {
    if (!isDay(day)) return undefined;
    if (statement === undefined) {
      const root = this.days.peek(day)?.root ?? (await this.deps.rows.root(day));
      return root === undefined ? undefined : { root };
    }
    const signed = await this.days.fetch(day);
    const found = signed?.tree.inclusion(statement);
    if (!signed || !found) return undefined;
    const { root, tree } = signed;
    return { root, inclusion: { statement: statement.toString('base64url'), ...found, size: tree.size } };
  }

  /** Undefined for a day without a root, and for one whose statements are not all known any more. */
  private async read(day: string): Promise<SignedDay | undefined> {
    const root = await this.deps.rows.root(day);
    if (root === undefined) return undefined;
    const tree = new DayTree(await this.deps.rows.issuedOn(day));
    return tree.root === signedRoot(root) ? { root, tree } : undefined;
  }

  private async sign(day: string, hashes: readonly string[]): Promise<string> {
    // Dated at the end of the day it is about, whenever it is made.
    const iat = (Date.parse(day) + DAY_MS) / 1_000;
    const key = (await this.deps.keys.ring()).at(iat);
    if (!key) throw new Error(`no key signs the root of ${day}: every one is revoked`);
    const { root, size: n } = new DayTree(hashes);
    const claims = { iss: this.deps.baseUrl, iat, day, alg: 'rfc9162-sha256', root, n };
    return signJws(claims, 'hostprobe-root+jwt', key);
  }
}

/** The root in a JWS that this service signed. */
function signedRoot(token: string): unknown {
  const { root } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { root: unknown };
  return root;
}
