import { inspect } from 'node:util';
import type { Failures } from './failures';
import { rememberNames } from './remember-names';
import { currentRequest, type NamedRequest } from './request-id';

/** Shuts a process down; `urgent` when nothing waits for a replacement. */
type Close = (urgent: boolean) => Promise<void>;

/** How a running process handles errors that nothing else handled. */
export interface Running {
  readonly failures: Failures;
  /** Fails the request whose work rejected, when it is known. */
  readonly failRequest?: (request: NamedRequest) => void;
  readonly close: Close;
  /** After this time the process ends in any case, with code 1. */
  readonly longestMs: number;
}

/**
 * How glibc asks for names (resolv.conf(5)): twice a name server, a second each time, and not five. A process does not end before the
 * lookups under way, and the names of stores that are taken down with it have no answer any more.
 */
const LOOKUPS = 'timeout:1 attempts:2';

/**
 * Ends this process on SIGTERM and SIGINT, when the process that forked it is gone, and on an exception that nothing
 * caught, at any moment of its life, and says why. A rejected promise that nothing handled does not end it (behaviour 2.6).
 * Make one before anything else: as process 1 of a container a process gets no signal it does not listen to. For the same
 * reason it exits by itself, and not by the signal.
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

  /** From now on the process serves and has to shut down cleanly; before, it just exits. */
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
