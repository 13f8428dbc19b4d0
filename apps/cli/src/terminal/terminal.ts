import { createInterface } from 'node:readline/promises';
import type { Variables } from '@app/config';
import { defined } from '@app/platform';
import { paintFor, type Paint } from './paint';
import { progressOn, type Progress } from './progress';

/** Output and environment of a command. */
export interface Terminal {
  readonly env: Variables;
  readonly paint: Paint;
  readonly progress: Progress;
  /** Asks the user; missing if there is no terminal. */
  readonly ask?: (question: string) => Promise<string>;
  /** Standard output, for the result only. */
  readonly say: (text: string) => void;
  /** Standard error, for everything else. */
  readonly complain: (text: string) => void;
}

/** The terminal, pipe or file this process was started with. */
export function processTerminal(env: Variables): Terminal {
  const { stdin, stdout, stderr } = process;
  return {
    env,
    paint: paintFor(stdout, env['NO_COLOR']),
    progress: progressOn(stderr),
    ...defined({ ask: stdin.isTTY && stderr.isTTY ? askHere : undefined }),
    say: (text) => stdout.write(text),
    complain: (text) => stderr.write(`hostprobe: ${text}`),
  };
}

/** Asks the user; after Ctrl-C the answer is empty. */
async function askHere(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } catch {
    return '';
  } finally {
    lines.close();
  }
}
