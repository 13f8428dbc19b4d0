import type { EmbeddedProcess } from './embedded/embedded-process';
import type { Guardian } from './guardian';

interface Part {
  readonly name: string;
  readonly stop: () => Promise<void>;
}

/** What has been started so far, in order; stopped in the reverse order. */
export class StartedParts {
  private readonly parts: Part[] = [];
  private readonly pidsByName: Record<string, number> = {};
  private stopping: Promise<void> | undefined;
  private reportEnd: (sentence: string) => void = () => undefined;

  /** Settles with a sentence when a process ends although nobody told it to. */
  readonly brokenBy = new Promise<string>((resolve) => {
    this.reportEnd = resolve;
  });

  constructor(private readonly guardian: Guardian) {}

  get pids(): Readonly<Record<string, number>> {
    return this.pidsByName;
  }

  addProcess(process: EmbeddedProcess): void {
    this.guardian.watch(process);
    this.pidsByName[process.name] = process.mark.pid;
    void process.ended.then((sentence) => {
      this.guardian.forget(process);
      if (this.stopping === undefined) this.reportEnd(sentence);
    });
    this.parts.push({ name: process.name, stop: process.stop });
  }

  addServer(name: string, stop: () => Promise<void>): void {
    this.parts.push({ name, stop });
  }

  /** Stops everything once, however often it is called; a part that cannot be stopped does not keep the others. */
  stopAll(): Promise<void> {
    this.stopping ??= this.stopInReverse();
    return this.stopping;
  }

  private async stopInReverse(): Promise<void> {
    for (const part of [...this.parts].reverse()) await part.stop().catch(() => undefined);
    this.guardian.dismiss();
  }
}
