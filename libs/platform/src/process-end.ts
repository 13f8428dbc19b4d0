import { inspect } from 'node:util';
import type { Failures } from './failures';
import { rememberNames } from './remember-names';
import { currentRequest, type NamedRequest } from './request-id';

/** Shuts a process down; `urgent` if no replacement needs to be waited for. */
type Close = (urgent: boolean) => Promise<void>;

/** How a running process handles otherwise unhandled errors. */
export interface Running {
  readonly failures: Failures;
  /** Fails the request whose work rejected, if it is known. */
  readonly failRequest?: (request: NamedRequest) => void;
  readonly close: Close;
  /** After this time, the process exits in any case, with code 1. */
  readonly longestMs: number;
}

/**
 * DNS options of glibc (resolv.conf(5)): one attempt of one second, instead of two of five seconds. A process only
 * exits after its pending lookups, and at shutdown the names of its databases may no longer resolve.
 */
const LOOKUPS = 'timeout:1 attempts:2';

/**
 * Ends this process with a message on SIGTERM and SIGINT, when its parent process is gone, and on an uncaught
 * exception. An unhandled rejection does not end it (behaviour 2.6). Create one before anything else: as process 1 of a
 * container, a process only gets signals that it listens to. For the same reason it exits by itself rather than by the
 * signal.
 */
export class ProcessEnd {
  private running: Running | undefined;
  private ending = false;
  private readonly askForNoName = rememberNames();
  private report = (error: unknown): void => {
    process.stderr.write(`Unhandled promise rejection in the ${this.name}: ${stackOf(error)}\n`);
  };

  constructor(private readonly name: string) {
    // eslint-disable-next-line no-restricted-properties -- told to glibc, not read
    process.env['RES_OPTIONS'] ??= LOOKUPS;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        this.end(0, `received ${signal}`, false);
      });
    }
    process.on('disconnect', () => {
      this.end(0, 'its parent process is gone', true);
    });
    process.on('unhandledRejection', (error) => {
      this.report(error);
    });
    process.on('uncaughtException', (error) => {
      this.end(1, `uncaught exception: ${stackOf(error)}`, true);
    });
  }

  /** Call it when the process starts serving, so that it shuts down cleanly; before that, it just exits. */
  after(running: Running): void {
    this.running = running;
    const sentence = 'unhandled promise rejection';
    const count = running.failures.of('unhandled_rejection', sentence, 'error');
    this.report = (error) => {
      count(error);
      const request = currentRequest();
      if (request) running.failRequest?.(request);
    };
  }

  private end(code: 0 | 1, why: string, urgent: boolean): void {
    if (this.ending) return;
    this.ending = true;
    this.askForNoName();
    if (!this.running) this.exit(code, `${why} before it was ready`);
    process.stderr.write(`The ${this.name} is stopping: ${why}.\n`);
    setTimeout(() => {
      this.exit(1, 'its work did not finish in time');
    }, this.running.longestMs).unref();
    this.running.close(urgent).then(
      () => process.exit(code),
      (error: unknown) => {
        this.exit(1, `it could not shut down cleanly: ${inspect(error)}`);
      },
    );
  }

  private exit(code: 0 | 1, why: string): never {
    process.stderr.write(`The ${this.name} stopped: ${why}.\n`);
    process.exit(code);
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : inspect(error);
}
