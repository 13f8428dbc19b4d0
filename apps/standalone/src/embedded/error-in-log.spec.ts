import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorInLog } from './error-in-log';

const EVENTS = '{"level":50,"msg":"request failed"}\n{"level":30,"msg":"gateway stops"}\n';
const STACK = '    at a (b.js:1:2)\n    at c\n';

describe('the error in a log', () => {
  const dir = mkdtempSync(join(tmpdir(), 'log-'));
  const log = join(dir, 'worker.log');
  afterAll(() => {
    rmSync(dir, { recursive: true });
  });

  it.each([
    [
      'an exception, whatever follows it',
      `The gateway is stopping: uncaught exception: TypeError: no.\n${STACK}${EVENTS}`,
      'The gateway is stopping: uncaught exception: TypeError: no.',
    ],
    ['what Node.js prints', `x.js:3\n  throw e;\n  ^\n\nError: no\n${STACK}\nNode.js v20.20.2\n`, 'Error: no'],
    [
      'a heap that is too small',
      `FATAL ERROR: heap out of memory\n----- Native stack\n 1: 0x0\n`,
      'FATAL ERROR: heap out of memory',
    ],
    ['a server that shuts down', 'FATAL:  no disk\nLOG:  shut down\n', 'FATAL:  no disk'],
    ['the last line in words', `started\nTerminated\n${EVENTS}`, 'Terminated'],
    ['nothing, when there are only events', EVENTS, ''],
  ])('is %s', (_, text, said) => {
    writeFileSync(log, `Error: of an earlier run\n${text}`);
    expect(errorInLog(log, 25)).toBe(said);
  });

  it('is read from the end, and is empty if there is no log', () => {
    writeFileSync(log, `Error: long ago\n${EVENTS.repeat(2_000)}`);
    expect([errorInLog(log), errorInLog(join(dir, 'none.log'))]).toEqual(['', '']);
  });
});
