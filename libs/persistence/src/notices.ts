import { Client } from 'pg';
import { connectTimeoutMs } from './connect-timeout';

/** What one process tells the others through Postgres. A notice is a hint; the row it names is the truth. */
export type NoticeChannel = 'run_finished' | 'host_changed' | 'payment_changed';

type Listener = (payload: string) => void;

const RECONNECT_MS = 1_000;

/**
 * One listening connection per process, shared by everybody who waits. After a broken connection it listens again by
 * itself; what was missed meanwhile is found by the waiters' own polls.
 */
export class Notices {
  private readonly listeners = new Map<NoticeChannel, Set<Listener>>();
  private client: Client | undefined;
  private closed = false;
  private retry: NodeJS.Timeout | undefined;

  constructor(private readonly url: string) {}

  async start(): Promise<void> {
    const client = new Client({
      connectionString: this.url,
      connectionTimeoutMillis: connectTimeoutMs(this.url),
      keepAlive: true, // nothing is ever sent on it: a line that went dead would go unnoticed
    });
    client.on('notification', ({ channel, payload }) => {
      for (const listener of this.listeners.get(channel as NoticeChannel) ?? []) listener(payload ?? '');
    });
    client.on('error', () => {
      this.reconnect();
    });
    client.on('end', () => {
      this.reconnect();
    });
    await client.connect();
    await client.query('LISTEN run_finished; LISTEN host_changed; LISTEN payment_changed');
    this.client = client;
  }

  /** Calls `listener` for every notice on `channel`; the returned function ends that. */
  on(channel: NoticeChannel, listener: Listener): () => void {
    const set = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, set);
    set.add(listener);
    return () => set.delete(listener);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    await this.client?.end().catch(() => undefined);
  }

  private reconnect(): void {
    if (this.closed || this.retry) return;
    this.client = undefined;
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.start().catch(() => {
        this.reconnect();
      });
    }, RECONNECT_MS);
  }
}
