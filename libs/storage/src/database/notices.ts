import { Client } from 'pg';
import { connectTimeoutMs } from './connect-timeout';

/** What one process tells the others through Postgres. A notice is a hint; the row it names is the truth. */
type NoticeChannel = 'run_finished' | 'run_progress' | 'host_changed' | 'payment_changed';

type Listener = (payload: string) => void;

/** Settles with a payload, or with undefined after its timeout or when it was canceled. */
export interface NextNotice {
  readonly promise: Promise<string | undefined>;
  readonly cancel: () => void;
}

const RECONNECT_MS = 1_000;

/**
 * One listening connection per process, shared by all waiters. After a broken connection it listens again by
 * itself; what was missed meanwhile is found by the waiters' own polls.
 */
export class Notices {
  private readonly listeners = new Map<NoticeChannel, Set<Listener>>();
  private client: Client | undefined;
  private closed = false;
  private retry: NodeJS.Timeout | undefined;

  /** @param onLost called for each connection that broke or could not be reopened */
  constructor(
    private readonly url: string,
    private readonly onLost: (error: unknown) => void,
  ) {}

  async start(): Promise<void> {
    const client = new Client({
      connectionString: this.url,
      connectionTimeoutMillis: connectTimeoutMs(this.url),
      query_timeout: connectTimeoutMs(this.url),
      keepAlive: true, // nothing is ever sent on it: a line that went dead would go unnoticed
    });
    client.on('notification', ({ channel, payload }) => {
      for (const listener of this.listeners.get(channel as NoticeChannel) ?? []) listener(payload ?? '');
    });
    client.on('error', (error) => {
      this.reconnect(error);
    });
    client.on('end', () => {
      this.reconnect(new Error('connection closed'));
    });
    await client.connect();
    await client.query('LISTEN run_finished; LISTEN run_progress; LISTEN host_changed; LISTEN payment_changed');
    this.client = client;
  }

  /** Calls `listener` for every notice on `channel`; the returned function ends that. */
  on(channel: NoticeChannel, listener: Listener): () => void {
    const set = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, set);
    set.add(listener);
    return () => set.delete(listener);
  }

  /** The next notice on `channel` whose payload matches, within a time. */
  next(channel: NoticeChannel, timeoutMs: number, matches: (payload: string) => boolean): NextNotice {
    let cancel = (): void => undefined;
    const promise = new Promise<string | undefined>((resolve) => {
      const off = this.on(channel, (payload) => {
        if (!matches(payload)) return;
        resolve(payload);
        cancel();
      });
      cancel = () => {
        clearTimeout(timer);
        off();
        resolve(undefined);
      };
      const timer = setTimeout(cancel, Math.max(0, timeoutMs));
    });
    return { promise, cancel };
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    await this.client?.end().catch(() => undefined);
  }

  private reconnect(error: unknown): void {
    if (this.closed || this.retry) return;
    this.onLost(error);
    this.client = undefined;
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.start().catch((failed: unknown) => {
        this.reconnect(failed);
      });
    }, RECONNECT_MS);
  }
}
