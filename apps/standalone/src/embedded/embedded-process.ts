import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '@app/platform';
import { errorInLog } from './error-in-log';
import { isRunning, markOf, parseMark, stopProcess, type ProcessMark } from './process-mark';
import { readIfThere, writePrivateFile } from './private-file';

/** A native program that runs next to the service. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The directory of the program's log and of the mark by which a later start finds an orphaned process. */
  readonly stateDir: string;
  readonly cwd?: string;
  /** Account to run as; needs root. */
  readonly account?: { readonly uid: number; readonly gid: number };
  /** Text for standard input. */
  readonly input?: string;
  /** The signal on which it ends cleanly. */
  readonly stopSignal: NodeJS.Signals;
  /** Prepares its files; called when no earlier run can write to them anymore. */
  readonly prepare?: () => void;
  /** Called as soon as the process exists, before it is ready. */
  readonly onSpawn?: (spawned: SpawnedProcess) => void;
  /** Whether it is ready; polled until it returns true. */
  readonly isReady: () => Promise<boolean>;
}

/** The data for stopping a process later. */
export interface SpawnedProcess {
  readonly mark: ProcessMark;
  readonly stopSignal: NodeJS.Signals;
}

export interface EmbeddedProcess extends SpawnedProcess {
  readonly name: string;
  /** Settles with a sentence when the process has ended for any reason. */
  readonly ended: Promise<string>;
  /** Stops it cleanly, or kills it after ten seconds. */
  readonly stop: () => Promise<void>;
}

const READY_MS = 20_000;
const STOP_GRACE_MS = 10_000;

/**
 * Starts a program and waits until it is ready. It runs in its own session, so that Ctrl-C reaches only the parent,
 * which stops its processes in order. If an earlier run was killed and left its process running, that process is
 * stopped first.
 */
export async function startProcess(program: Program): Promise<EmbeddedProcess> {
  const { name, stateDir, stopSignal } = program;
  const markFile = join(stateDir, `${name}.process.json`);
  const logFile = join(stateDir, `${name}.log`);
  const orphan = parseMark(readIfThere(markFile) ?? '');
  if (orphan && isRunning(orphan)) await stopProcess(orphan, stopSignal, STOP_GRACE_MS);
  program.prepare?.();
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn(program.command, program.args, {
    cwd: program.cwd ?? stateDir,
    ...program.account,
    detached: true,
    stdio: ['pipe', log, log],
  });
  closeSync(log);
  child.stdin?.on('error', () => undefined).end(program.input); // a program that has already ended does not read it
  let isOver = false;
  const untilReady = async (): Promise<void> => {
    while (!isOver && !(await program.isReady())) await sleep(20);
  };
  const supervised = {
    ...{ name, title: name, stopSignal, graceMs: STOP_GRACE_MS, readyMs: READY_MS },
    onSpawn: (spawned: SpawnedProcess) => {
      program.onSpawn?.(spawned);
      writePrivateFile(markFile, JSON.stringify(spawned.mark));
    },
    ending: (code: number | null, signal: NodeJS.Signals | null) =>
      `ended with ${signal ?? `code ${code ?? 'unknown'}`}`,
    because: () => errorInLog(logFile),
  };
  return supervise(child, supervised, untilReady).finally(() => {
    isOver = true;
  });
}

/** The data for supervising a process: its names, its limits, and how to stop it. */
interface Supervised extends Pick<EmbeddedProcess, 'name' | 'stopSignal'> {
  /** Its name in a sentence. */
  readonly title: string;
  /** How long it may take to stop, and to become ready. */
  readonly graceMs: number;
  readonly readyMs: number;
  readonly onSpawn: (spawned: SpawnedProcess) => void;
  readonly ending: (code: number | null, signal: NodeJS.Signals | null) => string;
  /** The error in its log; empty if there is none. */
  readonly because: () => string;
}

/** Waits until a started process is ready. @throws Error with a sentence if it ends, or is not ready in time */
export async function supervise(
  child: ChildProcess,
  { name, title, stopSignal, graceMs, readyMs, onSpawn, ending, because }: Supervised,
  untilReady: () => Promise<void>,
): Promise<EmbeddedProcess> {
  const explained = (sentence: string): string => [sentence, because()].filter((part) => part !== '').join(': ');
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      resolve(`${title} could not be started: ${error.message}`);
    });
    child.once('exit', (code, signal) => {
      resolve(explained(`${title} ${ending(code, signal)}`));
    });
  });
  const mark = child.pid === undefined ? null : markOf(child.pid);
  if (mark === null) throw new Error(await ended);
  onSpawn({ mark, stopSignal });
  const stop = async () => {
    await stopProcess(mark, stopSignal, graceMs);
    await ended;
  };
  const late = (): string => explained(`${title} was not ready within ${readyMs / 1_000} s`);
  const fault = await within(readyMs, Promise.race([ended, untilReady()]), late);
  if (fault === undefined) return { name, mark, stopSignal, ended, stop };
  await stop();
  throw new Error(fault);
}
