/** Stops what a process has begun; `urgent` when the process that started this one is gone. */
type Close = (urgent: boolean) => Promise<void>;

/**
 * How glibc asks for names (resolv.conf(5)): twice a name server, a second each time, and not five. A process does not end before the
 * lookups under way, and the names of stores that are taken down with it have no answer any more.
 */
const LOOKUPS = 'timeout:1 attempts:2';

/**
 * Ends this process on SIGTERM and SIGINT, and when the process that forked it is gone, at any moment of its life, and
 * says why. Make one before anything else: as process 1 of a container a process gets no signal it does not listen to. For
 * the same reason it exits by itself, and not by the signal.
 */
export class ProcessEnd {
  private close: Close | undefined;
  private ending = false;

  constructor(private readonly name: string) {
    // eslint-disable-next-line no-restricted-properties -- told to glibc, not read
    process.env['RES_OPTIONS'] ??= LOOKUPS;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        this.end(`it got ${signal}`, false);
      });
    }
    process.on('disconnect', () => {
      this.end('the process that started it is gone', true);
    });
  }

  /**
   * There is something to be stopped from now on; until now the process just ends.
   * @param longestMs after which the process ends in any case, with code 1
   */
  after(close: Close, longestMs: number): void {
    this.close = async (urgent) => {
      setTimeout(() => {
        this.exit(1, 'what it was doing did not end in time');
      }, longestMs).unref();
      await close(urgent);
    };
  }

  private end(why: string, urgent: boolean): void {
    if (this.ending) return;
    this.ending = true;
    if (!this.close) this.exit(0, `${why} before it was ready`);
    process.stderr.write(`The ${this.name} stops: ${why}.\n`);
    this.close(urgent).then(
      () => process.exit(0),
      (error: unknown) => {
        this.exit(1, `it could not stop in order: ${String(error)}`);
      },
    );
  }

  private exit(code: 0 | 1, why: string): never {
    process.stderr.write(`The ${this.name} ends: ${why}.\n`);
    process.exit(code);
  }
}
