import type { EmbeddedProcess, SpawnedProcess } from './embedded/embedded-process';
import type { ParentDeathWatch } from './parent-death-watch';

/** The started processes in order; they are stopped in reverse order. */
export class StartedProcesses {
  private readonly stops: (() => Promise<void>)[] = [];
  private readonly pidsByName: Record<string, number> = {};
  private stopping: Promise<void> | undefined;
  /** Called when a process has replaced another one. */
  onReplaced: () => void = () => undefined;
  private reportEnd: (sentence: string) => void = () => undefined;

  /** Settles with a sentence when a process ends unexpectedly. */
  readonly brokenBy = new Promise<string>((resolve) => {
    this.reportEnd = resolve;
  });

  /** @param signal aborted when the start is canceled; adding another process then ends the start */
  constructor(
    private readonly deathWatch: ParentDeathWatch,
    private readonly signal: AbortSignal,
  ) {}

  get pids(): Readonly<Record<string, number>> {
    return this.pidsByName;
  }

  /** Makes sure that a process is stopped if this process is killed, as soon as it exists. */
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

  /** Records the new process of a part that was restarted. */
  readonly replaceProcess = ({ name, mark }: EmbeddedProcess): void => {
    this.pidsByName[name] = mark.pid;
    if (this.stopping === undefined) this.onReplaced();
  };

  add(stop: () => Promise<void>): void {
    this.stops.push(stop);
    this.signal.throwIfAborted();
  }

  /** Stops every process, once for any number of calls. A failure to stop one does not keep the others running. */
  stopAll(): Promise<void> {
    this.stopping ??= (async () => {
      for (const stop of [...this.stops].reverse()) await stop().catch(() => undefined);
      await this.deathWatch.dismiss();
    })();
    return this.stopping;
  }
}
