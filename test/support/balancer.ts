import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './until';

const CHECK_MS = 100;
const CHECK_TIMEOUT_MS = 2_000;

/** A client of several gateways that acts like a load balancer: it sends no new requests to one that is not ready. */
export class Balancer {
  private ready: readonly string[] = [];
  private turn = 0;
  private checking: Promise<void> | undefined;
  private stopped = false;

  constructor(private readonly gateways: readonly string[]) {}

  async start(): Promise<void> {
    await this.check();
    this.checking = this.checkOn();
  }

  /**
   * Sends a request to the next ready gateway; the path starts with a slash. If none is ready it waits, as balancers
   * do, because on a busy machine both may be too slow to report it.
   */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    await until('a gateway that is ready', () => this.ready.length > 0);
    return fetch(`${this.ready[(this.turn += 1) % this.ready.length]}${path}`, init);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.checking;
  }

  private async checkOn(): Promise<void> {
    while (!this.stopped) {
      await sleep(CHECK_MS);
      await this.check();
    }
  }

  private async check(): Promise<void> {
    const answers = await Promise.all(this.gateways.map(isReady));
    this.ready = this.gateways.filter((_, index) => answers[index]);
  }
}

async function isReady(gateway: string): Promise<boolean> {
  try {
    const answer = await fetch(`${gateway}/health/ready`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
