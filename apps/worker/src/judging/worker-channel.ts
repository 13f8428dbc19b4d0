import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Answers, FromThread, ProbeUpdate, Task, ToThread } from './task';

/** A thread that does not respond within this time is stuck; a response normally takes well under a second. */
const TIMEOUT_MS = 5_000;

/** The same for a thread with one probe at a time. */
export const ALONE_TIMEOUT_MS = 3_000;

/** More than the documents of fifty probes need. Beyond it, the thread crashes, but the process survives. */
const HEAP_MB = 1_024;

interface Waiting {
  readonly resolve: (answer: Answers[keyof Answers]) => void;
  readonly reject: (error: Error) => void;
}

/** A thread crashed with unanswered questions. */
export class ThreadEndedError extends Error {
  constructor(
    cause: Error,
    /** Whether the thread was working on this question. */
    readonly suspect: boolean,
  ) {
    super(cause.message, { cause });
    this.name = 'ThreadEndedError';
  }
}

/** A detector thread as seen from the worker's main thread. When it ends, all waiting calls are rejected. */
export class WorkerChannel {
  /** The number of probes on this thread. */
  probes = 0;
  /** Total length of the documents sent to it, in bytes. */
  bytes = 0;
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private patience: NodeJS.Timeout | undefined;
  private calls = 0;
  private ended: Error | undefined;
  private closed = false;

  constructor(
    file: string,
    /** Called once when the thread crashes, even if nobody is waiting for it. */
    private readonly onEnd: (error: Error) => void,
    private readonly patienceMs = TIMEOUT_MS,
  ) {
    // The thread does not need our settings, so it gets none and cannot leak any.
    this.worker = new Worker(file, { execArgv: [], env: {}, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
    this.worker.on('message', (message: FromThread) => {
      this.receive(message);
    });
    this.worker.on('error', (error) => {
      this.end(new Error(`a judging thread failed: ${String(error)}`, { cause: error }));
    });
    this.worker.on('exit', () => {
      this.end(new Error('a judging thread exited'));
    });
  }

  /** @throws if the thread cannot start */
  async ready(): Promise<void> {
    await once(this.worker, 'message');
  }

  get dead(): boolean {
    return this.ended !== undefined;
  }

  /** @throws Error for a bug in this program, {@link ThreadEndedError} if the thread crashed */
  ask(update: ProbeUpdate, task: Task): Promise<Answers[keyof Answers]> {
    if (this.ended) return Promise.reject(this.endOf(this.ended, false));
    this.calls += 1;
    const id = this.calls;
    this.bytes += bytesOf(update, task);
    const answered = new Promise<Answers[keyof Answers]>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
    });
    this.tell({ kind: 'task', id, update, task });
    this.patience ??= this.startTimeout();
    return answered;
  }

  forget(probe: number): void {
    if (!this.ended) this.tell({ kind: 'close', probe });
  }

  /** Lets the thread compile its code before a probe needs it. */
  warm(): void {
    if (!this.ended) this.tell({ kind: 'warm' });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.ended ??= new Error('a judging thread was closed');
    await this.worker.terminate();
  }

  private tell(message: ToThread): void {
    this.worker.postMessage(message);
  }

  private receive(message: FromThread): void {
    if (!('ready' in message)) {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if ('failed' in message) waiting?.reject(message.failed);
      else waiting?.resolve(message.answer);
    }
    clearTimeout(this.patience);
    this.patience = this.waiting.size > 0 ? this.startTimeout() : undefined;
  }

  private startTimeout(): NodeJS.Timeout {
    return setTimeout(() => {
      this.end(new Error('a judging thread did not respond'));
      void this.worker.terminate();
    }, this.patienceMs);
  }

  private end(error: Error): void {
    if (!this.ended) {
      this.ended = error;
      this.onEnd(error);
    }
    clearTimeout(this.patience);
    // Questions are answered in order, so the thread was working on the oldest one.
    for (const [index, { reject }] of [...this.waiting.values()].entries()) {
      reject(this.endOf(this.ended, index === 0));
    }
    this.waiting.clear();
  }

  /** The error for an unanswered question. A closed thread ended with the worker and did not crash. */
  private endOf(ended: Error, suspect: boolean): Error {
    return this.closed ? ended : new ThreadEndedError(ended, suspect);
  }
}

/** The length of the documents in a question, in bytes. */
export function bytesOf({ added }: ProbeUpdate, task: Task): number {
  const robots = task.task === 'robots' ? task.text.length : 0;
  return added.reduce((sum, sent) => sum + (sent.kind === 'answer' && sent.body !== null ? sent.bytes : 0), robots);
}
