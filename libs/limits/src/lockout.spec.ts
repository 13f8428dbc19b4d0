import fc from 'fast-check';
import { Lockout } from './lockout';

const QUOTA = { name: 'test', points: 10, windowSec: 900 } as const;

describe('a lockout', () => {
  const hex = fc.integer({ min: 0, max: 0xffff }).map((part) => part.toString(16));
  const tail = fc.tuple(hex, hex, hex, hex).map((parts) => parts.join(':'));

  it('counts all addresses of a /64 as one caller, separate from other /64s', () => {
    fc.assert(
      fc.property(fc.array(tail, { minLength: 10, maxLength: 20 }), tail, (tails, last) => {
        const lockout = new Lockout(QUOTA);
        for (const each of tails) lockout.fail(`2001:db8:1:2:${each}`);
        expect(lockout.isLockedOut(`2001:db8:1:2:${last}`)).toBe(true);
        expect(lockout.isLockedOut(`2001:db8:1:3:${last}`)).toBe(false);
      }),
    );
  });

  it('ends with the window that the first failure started', () => {
    let now = 1;
    const lockout = new Lockout(QUOTA, () => now);
    for (let tries = 0; tries < 10; tries += 1) {
      lockout.fail('192.0.2.1');
      now += 1_000;
    }
    now = 900_000;
    expect(lockout.isLockedOut('192.0.2.1')).toBe(true);
    now = 900_002;
    expect(lockout.isLockedOut('192.0.2.1')).toBe(false);
  });

  it('remembers at most ten thousand callers', () => {
    const lockout = new Lockout(QUOTA);
    for (let at = 0; at < 12_000; at += 1) lockout.fail(`2001:db8:${at.toString(16)}::1`);
    expect(lockout.size).toBe(10_000);
  });
});
