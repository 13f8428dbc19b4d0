import type { EmbeddedProcess, SpawnedProcess } from './embedded/embedded-process';
import type { ParentDeathWatch } from './parent-death-watch';

/** What has been started so far, in order; stopped in the reverse order. */
export class StartedProcesses {
  private readonly stops: (() => Promise<void>)[] = [];
  private readonly pidsByName: Record<string, number> = {};
  private stopping: Promise<void> | undefined;
  /** Called when a process has taken the place of another. */
  onReplaced: () => void = () => undefined;
  private reportEnd: (sentence: string) => void = () => undefined;

  /** Settles with a sentence when a process ends although it was not told to. */
  readonly brokenBy = new Promise<string>((resolve) => {
    this.reportEnd = resolve;
  });

  /** @param signal aborted when the start is called off; the next process added then ends it */
  constructor(
    private readonly deathWatch: ParentDeathWatch,
    private readonly signal: AbortSignal,
  ) {}

  get pids(): Readonly<Record<string, number>> {
    return this.pidsByName;
  }

  /** Has a process ended, should this process be killed, from the moment there is one. */
  readonly watch = (spawned: SpawnedProcess): void => {
    this.deathWatch.watch(spawned);
  };

  addProcess(process: EmbeddedProcess): void {
    this.pidsByName[process.name] = process.mark.pid;
    void process.ended.then((sentence) => {
      this.deathWatch.forget(process);
      if (this.stopping === undefined) this.reportEnd(sentence);
    });
    this.add(process.stop);
  }

  /** Another process has taken the place of one that was added. */
  readonly replaceProcess = ({ name, mark }: EmbeddedProcess): void => {
    this.pidsByName[name] = mark.pid;
    if (this.stopping === undefined) this.onReplaced();
  };

  add(stop: () => Promise<void>): void {
    this.stops.push(stop);
    this.signal.throwIfAborted();
  }

  /** Stops everything once, however often it is called; one that cannot be stopped does not keep the others. */
  stopAll(): Promise<void> {
    this.stopping ??= (async () => {
      for (const stop of [...this.stops].reverse()) await stop().catch(() => undefined);
      await this.deathWatch.dismiss();
    })();
    return this.stopping;
  }
}
