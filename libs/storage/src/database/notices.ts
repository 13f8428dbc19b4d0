import { Client } from 'pg';
import { connectTimeoutMs } from './connect-timeout';

/**
 * A notification from one process to the others through Postgres. It is only a hint; the row that it names has the
 * data.
 */
type NoticeChannel = 'run_finished' | 'run_progress' | 'host_changed' | 'payment_changed';

type Listener = (payload: string) => void;

/** Resolves to the payload, or to undefined after a timeout or when canceled. */
export interface NextNotice {
  readonly promise: Promise<string | undefined>;
  readonly cancel: () => void;
}

const RECONNECT_MS = 1_000;

/**
 * One listening connection per process, shared by all waiters. It reconnects after an error; waiters also poll, in case
 * a notification was missed.
 */
export class Notices {
  private readonly listeners = new Map<NoticeChannel, Set<Listener>>();
  private client: Client | undefined;
  private closed = false;
  private retry: NodeJS.Timeout | undefined;

  /** @param onLost called whenever the connection broke or could not be reopened */
  constructor(
    private readonly url: string,
    private readonly onLost: (error: unknown) => void,
  ) {}

  async start(): Promise<void> {
    const client = new Client({
      connectionString: this.url,
      connectionTimeoutMillis: connectTimeoutMs(this.url),
      query_timeout: connectTimeoutMs(this.url),
      keepAlive: true, // nothing is ever sent on it, so a dead connection would go unnoticed
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

  /** Calls `listener` for every notification on `channel`; the returned function unsubscribes. */
  on(channel: NoticeChannel, listener: Listener): () => void {
    const set = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, set);
    set.add(listener);
    return () => set.delete(listener);
  }

  /** The next notification on `channel` whose payload matches, with a timeout. */
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
