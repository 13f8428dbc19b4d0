/** What `npm start` tells the person in front of it. */
export interface Screen {
  /** One line for a part that runs now, with the time since the start. */
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
