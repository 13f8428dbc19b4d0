import 'reflect-metadata';
import { createInterface } from 'node:readline/promises';
import { runCli, type Terminal } from './cli';
import { EXIT } from './exit-codes';
import { paintFor } from './paint';
import { progressOn } from './progress';

const { stdin, stdout, stderr } = process;

/** A question to the person at the terminal; Ctrl-C is no answer. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return await lines.question(question);
  } catch {
    return '';
  } finally {
    lines.close();
  }
}

const terminal: Terminal = {
  env: process.env,
  paint: paintFor(stdout, process.env['NO_COLOR']),
  progress: progressOn(stderr),
  ...(stdin.isTTY && stderr.isTTY ? { ask } : {}),
  say: (text) => stdout.write(text),
  complain: (text) => stderr.write(`hostprobe: ${text}`),
};

runCli(process.argv.slice(2), terminal).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    stderr.write(`hostprobe: ${String(error)}\n`);
    process.exitCode = EXIT.fault;
  },
);
