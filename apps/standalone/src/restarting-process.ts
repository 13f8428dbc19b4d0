import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedProcess } from './embedded/embedded-process';
import { logFileOf, startService, type Service } from './service-process';

/** A service that ends this often within a minute is not restarted again. */
const MOST_ENDS = 5;
const MINUTE_MS = 60_000;

/** Milliseconds before the first restart; each further restart within a minute waits twice as long. */
const FIRST_PAUSE_MS = 250;

/** Callbacks for the restarts of a service. */
export interface RestartingProcessListener {
  readonly say: (sentence: string) => void;
  /** Called when it ended by itself, to clean up before it is restarted. */
  readonly onEnd?: () => Promise<void>;
  /** Called when a new process has replaced the one that ended. */
  readonly onRestart: (process: EmbeddedProcess) => void;
}

/** A service that is restarted if it ends by itself. `ended` settles when it was stopped or is not restarted again. */
export class RestartingProcess implements EmbeddedProcess {
  readonly stopSignal = 'SIGTERM';
  readonly ended: Promise<string>;
  private stopping = false;
  private restarting: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly service: Service,
    private current: EmbeddedProcess,
    private readonly listener: RestartingProcessListener,
  ) {
    this.ended = this.keep();
  }

  /** @throws Error with a sentence if the first start fails */
  static async start(service: Service, listener: RestartingProcessListener): Promise<RestartingProcess> {
    return new RestartingProcess(service, await startService(service), listener);
  }

  get name(): string {
    return this.service.name;
  }

  get mark(): EmbeddedProcess['mark'] {
    return this.current.mark;
  }

  readonly stop = async (): Promise<void> => {
    this.stopping = true;
    await this.restarting; // a process that is being started is stopped too
    await this.current.stop();
    await this.ended;
  };

  private async keep(): Promise<string> {
    let ends: readonly number[] = [];
    let sentence = await this.current.ended;
    while (!this.stopping) {
      await this.listener.onEnd?.().catch(() => undefined); // without the cleanup, others notice the end a little later
      const now = performance.now();
      ends = [...ends.filter((at) => now - at < MINUTE_MS), now];
      const log = `log: ${logFileOf(this.service)}`;
      if (ends.length >= MOST_ENDS) return `${sentence}, ${MOST_ENDS} times in a minute; ${log}`;
      const pauseMs = FIRST_PAUSE_MS * 2 ** (ends.length - 1);
      this.listener.say(`${sentence}. Restarting in ${pauseMs / 1_000} s; ${log}`);
      await sleep(pauseMs);
      sentence = await this.restart();
    }
    return sentence;
  }

  /** Resolves with a sentence when the new process has ended or could not be started. */
  private async restart(): Promise<string> {
    if (this.stopping) return `the ${this.name} was stopped`;
    try {
      const starting = startService(this.service);
      this.restarting = starting.catch(() => undefined);
      this.current = await starting;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    this.listener.onRestart(this.current);
    this.listener.say(`the ${this.name} is running again`);
    return this.current.ended;
  }
}
