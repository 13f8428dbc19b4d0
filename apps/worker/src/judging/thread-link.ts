import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Answers, FromThread, LookUpdate, Task, ToThread } from './task';

/** A thread that owes answers and gives none for this long is stuck; ours are done in well under a second. */
const PATIENCE_MS = 10_000;

/** More than fifty looks' documents weigh; beyond it the thread ends, and the process lives. */
const HEAP_MB = 1_024;

interface Waiting {
  readonly resolve: (answer: Answers[keyof Answers]) => void;
  readonly reject: (error: Error) => void;
}

/** One judging thread, seen from the worker's main thread. Dies once; whoever waits for it then is told. */
export class ThreadLink {
  /** Looks that are in this thread's hands. */
  looks = 0;
  /** Octets of documents it was sent. */
  bytes = 0;
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private patience: NodeJS.Timeout | undefined;
  private calls = 0;
  private ended: Error | undefined;

  constructor(
    file: string,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    // It needs none of our settings, and so cannot give any away.
    this.worker = new Worker(file, { execArgv: [], env: {}, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
    this.worker.on('message', (message: FromThread) => {
      this.receive(message);
    });
    this.worker.on('error', (error) => {
      this.end(new Error(`a judging thread failed: ${String(error)}`));
    });
    this.worker.on('exit', () => {
      this.end(new Error('a judging thread ended'));
    });
  }

  /** @throws when the thread cannot start */
  async ready(): Promise<void> {
    await once(this.worker, 'message');
  }

  get dead(): boolean {
    return this.ended !== undefined;
  }

  /** @throws Error for a bug of ours, and when the thread ended */
  ask(update: LookUpdate, task: Task): Promise<Answers[keyof Answers]> {
    if (this.ended) return Promise.reject(this.ended);
    this.calls += 1;
    const id = this.calls;
    this.bytes += weightOf(update) + (task.task === 'robots' ? task.text.length : 0);
    const answered = new Promise<Answers[keyof Answers]>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
    });
    this.tell({ kind: 'task', id, update, task });
    this.patience ??= this.startPatience();
    return answered;
  }

  forget(look: number): void {
    if (!this.ended) this.tell({ kind: 'close', look });
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private tell(message: ToThread): void {
    this.worker.postMessage(message);
  }

  private receive(message: FromThread): void {
    if ('ready' in message) return;
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    clearTimeout(this.patience);
    this.patience = this.waiting.size > 0 ? this.startPatience() : undefined;
    if ('failed' in message) waiting?.reject(new Error(message.failed));
    else waiting?.resolve(message.answer);
  }

  private startPatience(): NodeJS.Timeout {
    return setTimeout(() => {
      this.end(new Error('a judging thread did not answer'));
      void this.worker.terminate();
    }, this.patienceMs);
  }

  private end(error: Error): void {
    this.ended ??= error;
    clearTimeout(this.patience);
    for (const { reject } of this.waiting.values()) reject(this.ended);
    this.waiting.clear();
  }
}

function weightOf({ added }: LookUpdate): number {
  return added.reduce((sum, sent) => sum + (sent.kind === 'answer' && sent.body !== null ? sent.bytes : 0), 0);
}
