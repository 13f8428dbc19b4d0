import 'reflect-metadata';
import { runCli } from './cli';
import { paintFor } from './paint';

runCli(process.argv.slice(2), {
  env: process.env,
  paint: paintFor(process.stdout, process.env['NO_COLOR']),
  say: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(`hostprobe: ${text}`),
}).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`hostprobe: ${String(error)}\n`);
    process.exitCode = 1;
  },
);
