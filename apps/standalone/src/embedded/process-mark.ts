import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Identifies a process. Its number alone is not enough, because the system may have reused it. */
export interface ProcessMark {
  readonly pid: number;
  /** The start time in the system's own format; only compared for equality. */
  readonly startedAt: string;
}

/** The mark of a running process; null if no process has that number. A zombie counts as ended. */
export function markOf(pid: number): ProcessMark | null {
  const startedAt = process.platform === 'linux' ? startedAtOnLinux(pid) : startedAtByPs(pid);
  return startedAt === null ? null : { pid, startedAt };
}

export function isRunning(mark: ProcessMark): boolean {
  return markOf(mark.pid)?.startedAt === mark.startedAt;
}

/** Sends `signal` to a process, and kills it if it still runs after `graceMs`. Returns when it has ended. */
export async function stopProcess(mark: ProcessMark, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  for (const [next, waitMs] of [
    [signal, graceMs],
    ['SIGKILL', 2_000],
  ] as const) {
    if (!isRunning(mark)) return;
    send(mark.pid, next);
    const until = Date.now() + waitMs;
    while (isRunning(mark) && Date.now() < until) await sleep(20);
  }
}

/** Reads a mark written by JSON.stringify; undefined for anything else. */
export function parseMark(text: string): ProcessMark | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('startedAt' in value)) return undefined;
    const { pid, startedAt } = value;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 2) return undefined;
    return typeof startedAt === 'string' ? { pid, startedAt } : undefined;
  } catch {
    return undefined;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended between the probe and the signal.
  }
}

/**
 * proc(5): the state is field 3 and the start time field 22; field 2 is a name that may contain spaces and
 * parentheses.
 */
function startedAtOnLinux(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, ticks] = [fields[0], fields[19]];
    if (ticks === undefined || state === 'Z' || state === 'X') return null;
    return `${bootId()}/${ticks}`;
  } catch {
    return null;
  }
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function startedAtByPs(pid: number): string | null {
  const { status, stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const startedAt = status === 0 ? stdout.trim() : '';
  return startedAt === '' ? null : startedAt;
}
