import 'reflect-metadata';
import { runCli } from './cli';
import { EXIT } from './terminal/exit-codes';
import { processTerminal } from './terminal/terminal';

runCli(process.argv.slice(2), processTerminal(process.env)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`hostprobe: ${String(error)}\n`);
    process.exitCode = EXIT.fault;
  },
);
