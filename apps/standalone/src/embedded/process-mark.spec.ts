import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { isRunning, markOf, parseMark, stopProcess } from './process-mark';

let child: ChildProcess;

afterEach(() => {
  child.kill('SIGKILL');
});

function start(script: string): number {
  child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  return child.pid!;
}

const IGNORES_TERM = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")';

describe('markOf', () => {
  it('distinguishes a process from a later one with the same number', () => {
    const mark = markOf(start('setInterval(() => {}, 1000)'))!;
    expect(isRunning(mark)).toBe(true);
    expect(isRunning({ ...mark, startedAt: 'another time' })).toBe(false);
  });

  it('is null when there is no such process', () => {
    start('');
    expect(markOf(2 ** 30)).toBeNull();
  });
});

describe('stopProcess', () => {
  it('returns when the process is gone', async () => {
    const mark = markOf(start('setInterval(() => {}, 1000)'))!;
    await stopProcess(mark, 'SIGTERM', 5_000);
    expect(isRunning(mark)).toBe(false);
  });

  it('kills a process that ignores the signal', async () => {
    const mark = markOf(start(IGNORES_TERM))!;
    await once(child.stdout!, 'data');
    const exited = once(child, 'exit');
    await stopProcess(mark, 'SIGTERM', 100);
    expect(isRunning(mark)).toBe(false);
    expect(await exited).toEqual([null, 'SIGKILL']);
  });

  it('does not stop another process with the same number', async () => {
    const mark = markOf(start('setInterval(() => {}, 1000)'))!;
    await stopProcess({ ...mark, startedAt: 'another time' }, 'SIGKILL', 100);
    expect(isRunning(mark)).toBe(true);
  });
});

describe('parseMark', () => {
  it.each([
    '',
    '{}',
    '[]',
    'null',
    '{"pid":0,"startedAt":"x"}',
    '{"pid":-1,"startedAt":"x"}',
    '{"pid":7,"startedAt":7}',
  ])('reads nothing out of %s', (text) => {
    expect(parseMark(text)).toBeUndefined();
  });

  it('reads what was written', () => {
    expect(parseMark('{"pid":7,"startedAt":"x"}')).toEqual({ pid: 7, startedAt: 'x' });
  });
});
