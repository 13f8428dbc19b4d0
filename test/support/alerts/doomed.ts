import type { ChildProcess } from 'node:child_process';
import { kill, startApp } from '../processes';

/**
 * When a process is killed: it has committed an alert, it has taken a delivery but not sent it, its message reached the
 * receiver but is not answered, or it is answered but not recorded.
 */
export type Moment = 'written' | 'taken' | 'sent' | 'answered';

interface Fate {
  readonly moment: Moment;
  /** How often the moment passes before the kill. */
  passes: number;
  readonly met: () => void;
}

/** A gateway or worker in its own process, which is killed at a given moment of its work and started again. */
export class Doomed {
  private fate: Fate | undefined;
  private ended = false;

  private constructor(
    private readonly app: 'gateway' | 'worker',
    private readonly env: Readonly<Record<string, string>>,
    private process: ChildProcess,
  ) {}

  static async start(app: 'gateway' | 'worker', env: Readonly<Record<string, string>>): Promise<Doomed> {
    return new Doomed(app, env, await startApp(app, env));
  }

  /** Resolves when the process was killed at that moment and another has replaced it. */
  async dieAt(moment: Moment, passes = 0): Promise<void> {
    await new Promise<void>((met) => (this.fate = { moment, passes, met }));
    await kill(this.process);
    this.process = await startApp(this.app, this.env);
    if (this.ended) await this.stop(); // the others meanwhile were
  }

  /** Call it when the process reaches a moment; true if the process is killed then. */
  comesTo(moment: Moment): boolean {
    const { fate } = this;
    if (fate?.moment !== moment) return false;
    fate.passes -= 1;
    if (fate.passes >= 0) return false;
    this.fate = undefined;
    this.process.kill('SIGKILL');
    fate.met();
    return true;
  }

  async stop(): Promise<void> {
    this.ended = true;
    await kill(this.process);
  }
}
