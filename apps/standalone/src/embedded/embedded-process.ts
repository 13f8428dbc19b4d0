import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorInLog } from './error-in-log';
import { isRunning, markOf, parseMark, stopProcess, type ProcessMark } from './process-mark';
import { readIfThere, writePrivateFile } from './private-file';

/** A native program to run beside the service. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Holds the program's log and the mark by which a later start finds an orphan. */
  readonly stateDir: string;
  readonly cwd?: string;
  /** Account to run as; needs root. */
  readonly account?: { readonly uid: number; readonly gid: number };
  /** Given on standard input. */
  readonly input?: string;
  /** The signal on which it ends cleanly. */
  readonly stopSignal: NodeJS.Signals;
  /** Puts its files in order, once no earlier run can write to them any more. */
  readonly prepare?: () => void;
  /** Told of the process as soon as there is one, before it is ready. */
  readonly onSpawn?: (spawned: SpawnedProcess) => void;
  /** Whether it serves; asked again and again until it says yes. */
  readonly isReady: () => Promise<boolean>;
}

/** What is needed to end a process later on. */
export interface SpawnedProcess {
  readonly mark: ProcessMark;
  readonly stopSignal: NodeJS.Signals;
}

export interface EmbeddedProcess extends SpawnedProcess {
  readonly name: string;
  /** Settles with a sentence when the process has ended for any reason. */
  readonly ended: Promise<string>;
  /** Ends it cleanly, by force after ten seconds. */
  readonly stop: () => Promise<void>;
}

const READY_WITHIN_MS = 20_000;
const STOP_GRACE_MS = 10_000;

/**
 * Starts a program and waits until it serves. It runs in a session of its own, so that Ctrl-C reaches only the parent,
 * which stops its processes in order. An orphan of an earlier run that was killed is stopped first.
 */
export async function startProcess(program: Program): Promise<EmbeddedProcess> {
  await stopOrphan(program);
  program.prepare?.();
  const log = openSync(logFile(program), 'w', 0o600);
  const child = spawn(program.command, program.args, {
    cwd: program.cwd ?? program.stateDir,
    ...program.account,
    detached: true,
    stdio: ['pipe', log, log],
  });
  closeSync(log);
  child.stdin?.on('error', () => undefined).end(program.input); // a program that ended at once does not read it
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      resolve(`${program.name} could not be started: ${error.message}`);
    });
    child.once('exit', (code, signal) => {
      resolve(`${program.name} ended with ${signal ?? `code ${code ?? 'unknown'}`}${because(program)}`);
    });
  });
  const mark = child.pid === undefined ? null : markOf(child.pid);
  if (mark === null) throw new Error(await ended);
  program.onSpawn?.({ mark, stopSignal: program.stopSignal });
  writePrivateFile(markFile(program), JSON.stringify(mark));
  const stop = async () => {
    await stopProcess(mark, program.stopSignal, STOP_GRACE_MS);
    await ended;
  };
  await untilReady(program, ended, stop);
  return { name: program.name, mark, stopSignal: program.stopSignal, ended, stop };
}

/** Stops what an earlier run under the same directory left behind. */
async function stopOrphan(program: Program): Promise<void> {
  const mark = parseMark(readIfThere(markFile(program)) ?? '');
  if (mark && isRunning(mark)) await stopProcess(mark, program.stopSignal, STOP_GRACE_MS);
}

async function untilReady(program: Program, ended: Promise<string>, stop: () => Promise<void>): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS;
  let end: string | undefined;
  void ended.then((sentence) => {
    end = sentence;
  });
  while (!(await program.isReady())) {
    if (end !== undefined) throw new Error(end);
    if (Date.now() > until) {
      await stop();
      throw new Error(`${program.name} was not ready within ${READY_WITHIN_MS / 1_000} s${because(program)}`);
    }
    await sleep(20);
  }
}

/** The error in the log, for the end of a sentence. */
function because(program: Program): string {
  const error = errorInLog(logFile(program));
  return error === '' ? '' : `: ${error}`;
}

function logFile(program: Program): string {
  return join(program.stateDir, `${program.name}.log`);
}

function markFile(program: Program): string {
  return join(program.stateDir, `${program.name}.process.json`);
}
