/** Shows on a terminal what the command is waiting for; silent otherwise. */
export interface Progress {
  /** Replaces the last message. */
  step(text: string): void;
  /** Clears the line. */
  done(): void;
}

const TICK_MS = 250;
const CLEAR_LINE = '\r\u001B[K';

interface Stream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Rewrites one line with the current step and its duration in seconds. The timer does not keep the process alive. */
export function progressOn(stream: Stream): Progress {
  if (stream.isTTY !== true) return { step: () => undefined, done: () => undefined };
  let timer: NodeJS.Timeout | undefined;
  const done = (): void => {
    if (timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    stream.write(CLEAR_LINE);
  };
  return {
    step(text) {
      done();
      const started = Date.now();
      const draw = (): void => {
        stream.write(`${CLEAR_LINE}${text} ... ${Math.floor((Date.now() - started) / 1_000)} s`);
      };
      draw();
      timer = setInterval(draw, TICK_MS).unref();
    },
    done,
  };
}
