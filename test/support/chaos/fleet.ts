import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../paywall-world/random';
import { freePort } from '../../../apps/standalone/src/embedded/free-port';
import { end, kill, startApp } from '../processes';
import { freshDatabase, freshRedis, stack } from '../stack';
import { testCaFile } from '../test-host';

interface Member {
  readonly app: 'gateway' | 'worker';
  readonly env: Readonly<Record<string, string>>;
  process: ChildProcess;
  /** Kills and restarts of one process run one after the other. */
  turn: Promise<void>;
}

/** The maximum pause before a killed process is restarted, in milliseconds. */
const LONGEST_ABSENCE_MS = 1_500;

export interface FleetTerms {
  readonly payTo: string;
  readonly facilitatorUrl: string;
  /** Test hosts, as PROBE_CONNECT_TO. */
  readonly connectTo: readonly string[];
}

/** The variables of a fleet with its own database and without irrelevant limits. */
export async function fleetEnv(backend: 'redis' | 'postgres', { payTo, facilitatorUrl, connectTo }: FleetTerms) {
  const redisUrl = backend === 'redis' ? await freshRedis() : null;
  return {
    DATABASE_URL: await freshDatabase(),
    ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
    X402_PAY_TO: payTo,
    X402_FACILITATOR_URL: facilitatorUrl,
    RPC_URL_8453: stack().rpcUrl,
    // One name for both gateways, as behind a load balancer, because payments are bound to it.
    PUBLIC_BASE_URL: 'http://hostprobe.example.com',
    PROBE_CONNECT_TO: connectTo.join(','),
    PROBE_CA_FILE: await testCaFile(),
    TARGET_PROBES_PER_15_MIN: '10000',
    RATE_LIMIT_REFUSED_PAYMENTS_PER_MIN: '1000000',
    TARGET_REQUESTS_PER_MIN: '1000000',
    TARGET_CONCURRENCY: '100',
  };
}

/** Gateways and workers in their own processes, which can be killed and restarted at any time. */
export class Fleet {
  private killed = 0;

  private constructor(
    private readonly members: readonly Member[],
    /** Base URL of each gateway. */
    readonly gateways: readonly string[],
  ) {}

  /** Starts two gateways and two workers. */
  static async start(env: Readonly<Record<string, string>>): Promise<Fleet> {
    const ports = [await freePort(), await freePort()];
    const plans = [
      ...ports.map((port) => ({ app: 'gateway' as const, env: { ...env, PORT: String(port) } })),
      ...ports.map(() => ({ app: 'worker' as const, env })),
    ];
    const members = await Promise.all(
      plans.map(async (plan) => ({ ...plan, process: await startApp(plan.app, plan.env), turn: Promise.resolve() })),
    );
    return new Fleet(
      members,
      ports.map((port) => `http://127.0.0.1:${port}`),
    );
  }

  get kills(): number {
    return this.killed;
  }

  /** Kills a random process, sometimes two at once, and restarts each after a random pause. */
  strike(random: Random): void {
    const first = random.pick(this.members);
    const struck = random.chance(0.15) ? new Set([first, random.pick(this.members)]) : new Set([first]);
    for (const member of struck) {
      const absenceMs = random.next() * LONGEST_ABSENCE_MS;
      member.turn = member.turn.then(() => this.replace(member, absenceMs));
    }
  }

  /**
   * Stops every process, or those of an app, one after the other, and starts a new one in its place; returns how they
   * ended.
   */
  async renew(app?: Member['app']): Promise<readonly Awaited<ReturnType<typeof end>>[]> {
    const ends: Awaited<ReturnType<typeof end>>[] = [];
    for (const member of this.members.filter((one) => app === undefined || one.app === app)) {
      ends.push(await end(member.process));
      member.process = await startApp(member.app, member.env);
    }
    return ends;
  }

  /** Resolves when every killed process is running again. */
  async whole(): Promise<void> {
    await Promise.all(this.members.map(({ turn }) => turn));
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map(({ turn }) => turn.catch(() => undefined)));
    await Promise.all(this.members.map(({ process }) => kill(process)));
  }

  private async replace(member: Member, absenceMs: number): Promise<void> {
    await kill(member.process);
    this.killed += 1;
    await sleep(absenceMs);
    member.process = await startApp(member.app, member.env);
  }
}
