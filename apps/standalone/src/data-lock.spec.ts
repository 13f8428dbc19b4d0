import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataDir, refuseHeldDataDir } from './data-lock';
import { markOf } from './embedded/process-mark';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

describe('lockDataDir', () => {
  it('refuses a directory that another process uses, and names that process', () => {
    const holder = spawn('sleep', ['60']);
    try {
      writeFileSync(join(dir, 'lock'), JSON.stringify(markOf(holder.pid!)));
      const sentence = `is in use by another npm start (process ${holder.pid})`;
      expect(() => lockDataDir(dir)).toThrow(sentence);
      expect(() => {
        refuseHeldDataDir(dir);
      }).toThrow(sentence);
    } finally {
      holder.kill();
    }
  });

  it.each(['file', 'file/below'])('says what to do when %s is not a writable directory', (name) => {
    writeFileSync(join(dir, 'file'), '');
    refuseHeldDataDir(join(dir, name));
    expect(() => lockDataDir(join(dir, name))).toThrow(/^cannot write to .* \((?:EEXIST|ENOTDIR)\); make it writable/);
  });

  it.each([
    ['a process that is gone', JSON.stringify({ pid: 999_999_999, startedAt: 'then' })],
    ['a process whose number was given to another', JSON.stringify({ pid: process.pid, startedAt: 'then' })],
    ['no process, cut short', '{"pid":'],
    ['no process, empty', ''],
  ])('takes over the lock of %s', (_, text) => {
    writeFileSync(join(dir, 'lock'), text);
    const lock = lockDataDir(dir);
    expect(readdirSync(dir)).toEqual(['lock']);
    lock.release();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('can be acquired again after its release', () => {
    lockDataDir(dir).release();
    lockDataDir(dir).release();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('leaves the lock in place when another start has acquired it meanwhile', () => {
    const lock = lockDataDir(dir);
    const other = JSON.stringify({ pid: 4_242, startedAt: 'later' });
    writeFileSync(join(dir, 'lock'), other);
    lock.release();
    expect(readdirSync(dir)).toEqual(['lock']);
  });

  it('makes a directory that only its owner can read', () => {
    const made = join(dir, 'deep', 'data');
    lockDataDir(made);
    expect(statSync(made).mode & 0o777).toBe(0o700);
  });
});
