// Assigns processors: the server under test runs on one and its load on another, so that neither slows down the other.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const PINNED = cpus().length >= 2 && spawnSync('taskset', ['--version']).status === 0;

/** The core of the measured server, and of its load. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** A command that runs on one core only; unchanged if cores cannot be assigned. */
export function onCore(core, [command, ...args]) {
  return PINNED && core !== null ? ['taskset', '-c', String(core), command, ...args] : [command, ...args];
}

/** Starts a Node.js program and waits for its first message, which is returned too. */
export async function startNode(script, { args = [], env = {}, core = null, execArgv = [], input } = {}) {
  const [command, ...rest] = onCore(core, [process.execPath, ...execArgv, script, ...args]);
  const child = spawn(command, rest, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  if (input !== undefined) child.send(input);
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${script} ended early`);
  return { child, message };
}

/** Stops a process as an operator would, and waits for it. */
export async function stopNode(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/** The processor time of a process with all its threads so far, in milliseconds. */
export const processorMs = (pid) => ticksMs(pid, 11); // utime and stime

/** The same for the ended children of this process. */
export const endedChildrenMs = () => ticksMs('self', 13); // cutime and cstime

function ticksMs(pid, first) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[first]) + Number(fields[first + 1])) * 10; // ticks of 1/100 s
}

/**
 * Watches the memory of a process until it ends; the returned function stops that and returns the maximum in megabytes.
 */
export function watchMemory(pid, everyMs = 50) {
  let peak = 0;
  const timer = setInterval(() => {
    try {
      peak = Math.max(peak, residentMb(pid));
    } catch {
      clearInterval(timer); // Ctrl-C also reaches the process
    }
  }, everyMs);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/** The memory of a process in megabytes. */
export function residentMb(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}
