import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { reasonOf } from './reason';

const DIR = tmpdir();
const FULL = [
  'ENOSPC: no space left on device, write',
  'FATAL:  could not write to file "pg_wal/xlogtemp.1": No space left on device\nchild process exited with exit code 1',
  'chain ended with code 1: Error: No space left on device (os error 28)',
  'EDQUOT: disk quota exceeded, open',
];
const OTHERS = ['postgres ended with SIGKILL', 'port 3000 is taken\n  by another', 'nothing'];

describe('the reason why the service stopped', () => {
  it('is one line that names the directory and what to do if a disk is full, whichever part failed', () => {
    const texts = fc.constantFrom(...FULL, ...OTHERS);
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 4 }), fc.boolean(), (messages, plain) => {
        const chain = messages.reduceRight<Error | undefined>(
          (cause, message) => new Error(message, cause && { cause }),
          undefined,
        );
        const said = reasonOf(plain ? messages[0] : chain, DIR);
        expect(said).not.toContain('\n');
        const told = plain ? messages.slice(0, 1) : messages;
        if (told.some((message) => FULL.includes(message))) {
          expect(said).toBe(
            `the disk of ${DIR} is full; free some space, or set DATA_DIR to a directory on another disk`,
          );
        } else expect(said).toContain(messages[0]!.split('\n')[0]);
      }),
    );
  });

  it('is the original message when the directory does not exist', () => {
    expect(reasonOf(new Error('it is not'), '/nowhere/at/all')).toBe('it is not');
  });
});
