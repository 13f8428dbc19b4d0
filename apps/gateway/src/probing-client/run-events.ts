import { PassThrough, type Readable } from 'node:stream';
import { callerKey, networkKey } from '@app/limits';
import {
  Notices,
  readProgressNotice,
  readRunNotice,
  RunRepository,
  type RunProgress,
  type StoredRun,
} from '@app/storage';
import { LRUCache } from 'lru-cache';
import { RequestError } from '../http/request-error';

/**
 * The maximum number of readers per process, per network (an IPv4 /24, an IPv6 /48) and per caller (an IPv4 address, an
 * IPv6 /64).
 */
export const MAX_READERS = 200;
export const MAX_READERS_PER_NETWORK = 24;
export const MAX_READERS_PER_CALLER = 8;
/** How often the row is read again, in milliseconds, in case a notification was lost. */
const POLL_MS = 5_000;
/**
 * The progress of this many runs is kept for readers who join later, for the longest duration of a run, in
 * milliseconds.
 */
const MAX_RUNS = 1_000;
const KEPT_MS = 60_000;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * The progress of runs as server-sent events (behaviour 3.14): the state of the run (`status`), the protocols being
 * checked (`asking`), and its end (`end`). The events come from database notifications, for every queue.
 */
export class RunEvents {
  /** Readers, the oldest first. */
  private readonly readers = new Map<PassThrough, { readonly caller: string; readonly network: string }>();
  private readonly heard = new LRUCache<string, readonly RunProgress[]>({ max: MAX_RUNS, ttl: KEPT_MS });
  private readonly off: () => void;

  constructor(
    private readonly runs: RunRepository,
    private readonly notices: Notices,
  ) {
    this.off = notices.on('run_progress', (payload) => {
      const { runId, ...progress } = readProgressNotice(payload);
      this.heard.set(runId, [...(this.heard.get(runId) ?? []), progress]);
    });
  }

  /**
   * Returns a stream that ends with the run.
   * @param caller network address of the reader
   * @throws {RequestError} 404 `run_unknown`, 503 `too_many_connections`
   */
  async follow(id: string, caller: string): Promise<Readable> {
    const reader = this.admit(caller);
    for (const progress of this.heard.get(id) ?? []) say(reader, 'asking', progress);
    const offs = [
      this.notices.on('run_progress', (payload) => {
        const { runId, ...progress } = readProgressNotice(payload);
        if (runId === id) say(reader, 'asking', progress);
      }),
      this.notices.on('run_finished', (payload) => {
        if (readRunNotice(payload).runId === id) void this.tell(id, reader);
      }),
    ];
    const poll = setInterval(() => void this.tell(id, reader), POLL_MS);
    reader.once('close', () => {
      clearInterval(poll);
      for (const off of offs) off();
      this.readers.delete(reader);
    });
    const run = UUID.test(id) ? await this.runs.find(id).catch(ending(reader)) : undefined;
    if (!run) return ending(reader)(new RequestError('run_unknown'));
    this.tellOf(run, reader);
    return reader;
  }

  /** For how many protocols requests of a run were reported. */
  protocolsAsked(id: string): number {
    return new Set(this.heard.get(id)?.flatMap(({ protocols }) => protocols)).size;
  }

  /** Ends all streams, because they would keep their connections open. */
  close(): void {
    this.off();
    for (const reader of this.readers.keys()) reader.end();
  }

  /** When all places are taken, the oldest reader of the busiest network makes room for a reader of a less busy one. */
  private admit(address: string): PassThrough {
    const place = { caller: callerKey(address), network: networkKey(address) };
    const all = [...this.readers];
    const of = (wanted: string) => all.filter(([, { network }]) => network === wanted);
    const own = of(place.network);
    const sameCaller = own.filter(([, { caller }]) => caller === place.caller);
    if (own.length >= MAX_READERS_PER_NETWORK || sameCaller.length >= MAX_READERS_PER_CALLER) {
      throw new RequestError('too_many_connections');
    }
    if (all.length >= MAX_READERS) {
      const [most = []] = all.map(([, { network }]) => of(network)).toSorted((a, b) => b.length - a.length);
      const [oldest] = most;
      if (!oldest || most.length <= own.length + 1) throw new RequestError('too_many_connections');
      this.readers.delete(oldest[0]);
      oldest[0].end();
    }
    const reader = new PassThrough();
    this.readers.set(reader, place);
    return reader;
  }

  /** Reads the row again; while storage does not answer, the reader keeps waiting. */
  private async tell(id: string, reader: PassThrough): Promise<void> {
    const run = await this.runs.find(id).catch(() => undefined);
    if (run) this.tellOf(run, reader);
  }

  private tellOf({ status, deadlineAt, outcome }: StoredRun, reader: PassThrough): void {
    if (reader.writableEnded) return;
    const isOpen = status === 'queued' || status === 'running';
    const late = isOpen && deadlineAt.getTime() <= Date.now();
    say(reader, isOpen && !late ? 'status' : 'end', { status: late ? 'expired' : status, ...skippedIn(outcome) });
    if (!isOpen || late) reader.end();
  }
}

/** Why a probe made no requests although it succeeded: robots.txt disallows us. */
function skippedIn(outcome: unknown): { readonly skipped?: unknown } {
  return typeof outcome === 'object' && outcome !== null && 'skipped' in outcome ? { skipped: outcome.skipped } : {};
}

function say(reader: PassThrough, event: string, data: object): void {
  if (!reader.writableEnded) reader.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Removes a reader whose stream could not be opened. */
function ending(reader: PassThrough): (error: unknown) => never {
  return (error) => {
    reader.destroy();
    throw error;
  };
}
