// Which processor runs what: the server under test on one, its load on another, so that neither takes the other's time.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const PINNED = cpus().length >= 2 && spawnSync('taskset', ['--version']).status === 0;

/** The core of what is measured, and of what loads it. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** A command that runs on one core only; the command itself where cores cannot be chosen. */
export function onCore(core, [command, ...args]) {
  return PINNED && core !== null ? ['taskset', '-c', String(core), command, ...args] : [command, ...args];
}

/** Starts a Node.js program and waits for its first message, which is returned with it. */
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

/** Ends a process as an operator does, and waits for it. */
export async function stopNode(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/** Processor time a process has taken so far, in milliseconds, of all its threads. */
export const processorMs = (pid) => ticksMs(pid, 11); // utime and stime

/** The same of the children of this process that have ended. */
export const endedChildrenMs = () => ticksMs('self', 13); // cutime and cstime

function ticksMs(pid, first) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[first]) + Number(fields[first + 1])) * 10; // ticks of 1/100 s
}

/** Watches the memory of a process until it ends; the function it returns ends that and tells the most there was, in megabytes. */
export function watchMemory(pid, everyMs = 50) {
  let peak = 0;
  const timer = setInterval(() => {
    try {
      peak = Math.max(peak, residentMb(pid));
    } catch {
      clearInterval(timer); // Ctrl-C reaches the process as well
    }
  }, everyMs);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/** Memory a process holds, in megabytes. */
export function residentMb(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}
