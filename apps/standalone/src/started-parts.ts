import type { EmbeddedProcess, SpawnedProcess } from './embedded/embedded-process';
import type { Guardian } from './guardian';

/** What has been started so far, in order; stopped in the reverse order. */
export class StartedParts {
  private readonly stops: (() => Promise<void>)[] = [];
  private readonly pidsByName: Record<string, number> = {};
  private stopping: Promise<void> | undefined;
  private reportEnd: (sentence: string) => void = () => undefined;

  /** Settles with a sentence when a process ends although nobody told it to. */
  readonly brokenBy = new Promise<string>((resolve) => {
    this.reportEnd = resolve;
  });

  /** @param signal aborted when the start is called off; the next part added then ends it */
  constructor(
    private readonly guardian: Guardian,
    private readonly signal: AbortSignal,
  ) {}

  get pids(): Readonly<Record<string, number>> {
    return this.pidsByName;
  }

  /** Has a process ended, should we be killed, from the moment there is one. */
  readonly watch = (spawned: SpawnedProcess): void => {
    this.guardian.watch(spawned);
  };

  addProcess(process: EmbeddedProcess): void {
    this.pidsByName[process.name] = process.mark.pid;
    void process.ended.then((sentence) => {
      this.guardian.forget(process);
      if (this.stopping === undefined) this.reportEnd(sentence);
    });
    this.add(process.stop);
  }

  addServer(stop: () => Promise<void>): void {
    this.add(stop);
  }

  private add(stop: () => Promise<void>): void {
    this.stops.push(stop);
    this.signal.throwIfAborted();
  }

  /** Stops everything once, however often it is called; a part that cannot be stopped does not keep the others. */
  stopAll(): Promise<void> {
    this.stopping ??= this.stopInReverse();
    return this.stopping;
  }

  private async stopInReverse(): Promise<void> {
    for (const stop of [...this.stops].reverse()) await stop().catch(() => undefined);
    await this.guardian.dismiss();
  }
}
