import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastLines } from './embedded-process';

describe('the end of a log', () => {
  const dir = mkdtempSync(join(tmpdir(), 'log-'));
  const log = join(dir, 'worker.log');
  afterAll(() => {
    rmSync(dir, { recursive: true });
  });

  it.each([
    [
      'its last line, when that is in words',
      '{"msg":"a"}\nThe worker could not start: no.\n',
      'The worker could not start: no.',
    ],
    ['its last three, when that is JSON', '{"n":1}\n{"n":2}\n{"n":3}\n{"n":4}\n', '{"n":2} | {"n":3} | {"n":4}'],
    [
      'its last three, when that is part of a stack',
      'Error: no\n    at a\n    at b\n',
      'Error: no |     at a |     at b',
    ],
  ])('is %s', (_, text, said) => {
    writeFileSync(log, text);
    expect(lastLines(log)).toBe(` (its log ends: ${said})`);
  });

  it('is left out when there is none', () => {
    expect(lastLines(join(dir, 'none.log'))).toBe('');
  });
});
