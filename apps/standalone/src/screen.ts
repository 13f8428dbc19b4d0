/** The output of `npm start` for the user. */
export interface Screen {
  /** Prints one line about a part that now runs, with the time since the start. */
  readonly part: (name: string, text: string) => void;
  readonly say: (text: string) => void;
  readonly complain: (sentence: string) => void;
}

export function terminal(): Screen {
  const begin = performance.now();
  return {
    part: (name, text) => {
      const elapsed = `${Math.round(performance.now() - begin)} ms`;
      process.stdout.write(`${name.padEnd(12)} ${text.padEnd(70)} ${elapsed.padStart(9)}\n`);
    },
    say: (text) => {
      process.stdout.write(`${text}\n`);
    },
    complain: (sentence) => {
      process.stderr.write(`hostprobe: ${sentence}\n`);
    },
  };
}
