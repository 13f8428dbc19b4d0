import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../paywall-world/random';
import { kill, startApp } from '../processes';

interface Member {
  readonly app: 'gateway' | 'worker';
  readonly env: Readonly<Record<string, string>>;
  process: ChildProcess;
  /** Kills and restarts of one process follow each other. */
  turn: Promise<void>;
}

/** Longest pause before a killed process is started again, in milliseconds. */
const LONGEST_ABSENCE_MS = 1_500;

/** Gateways and workers as processes of their own, to be killed at any moment and started again. */
export class Fleet {
  private killed = 0;

  private constructor(
    private readonly members: readonly Member[],
    /** Base URL of each gateway. */
    readonly gateways: readonly string[],
  ) {}

  /** Two gateways on the given ports and two workers. */
  static async start(env: Readonly<Record<string, string>>, ports: readonly number[]): Promise<Fleet> {
    const plans = [
      ...ports.map((port) => ({ app: 'gateway' as const, env: { ...env, PORT: String(port) } })),
      ...ports.map(() => ({ app: 'worker' as const, env })),
    ];
    const members: Member[] = [];
    for (const { app, env: own } of plans) {
      members.push({ app, env: own, process: await startApp(app, own), turn: Promise.resolve() });
    }
    return new Fleet(
      members,
      ports.map((port) => `http://127.0.0.1:${port}`),
    );
  }

  get kills(): number {
    return this.killed;
  }

  /** Kills a process drawn at random, now and then two at once, and starts each again after a random pause. */
  strike(random: Random): void {
    const first = random.pick(this.members);
    const struck = random.chance(0.15) ? new Set([first, random.pick(this.members)]) : new Set([first]);
    for (const member of struck) {
      const absenceMs = random.next() * LONGEST_ABSENCE_MS;
      member.turn = member.turn.then(() => this.replace(member, absenceMs));
    }
  }

  /** Resolves when every process that was struck runs again. */
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
