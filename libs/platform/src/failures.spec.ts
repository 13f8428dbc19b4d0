import { Failures } from './failures';
import { createLogger } from './logger';

describe('background failures', () => {
  it('are all counted, and logged with stack and part unless the same message was logged just before', async () => {
    const lines: string[] = [];
    const failures = new Failures(createLogger('unit', 'warn', { write: (line) => lines.push(line) }));
    const failed = failures.of('queue', 'no probe can start');
    for (const error of [new Error('away'), new Error('away'), 'no error at all']) failed(error);
    const said = lines.map((line) => JSON.parse(line) as { msg: string; part: string; err: Error });
    expect(said.map(({ msg, part, err }) => [msg, part, err.message])).toEqual([
      ['no probe can start', 'queue', 'away'],
      ['no probe can start', 'queue', 'no error at all'],
    ]);
    expect(said[0]!.err.stack).toContain('failures.spec.ts');
    expect((await failures.counter.get()).values).toEqual([{ labels: { part: 'queue' }, value: 3 }]);
  });

  it('report which growth cap was reached, once while that lasts', async () => {
    const lines: string[] = [];
    const failures = new Failures(createLogger('unit', 'warn', { write: (line) => lines.push(line) }));
    for (let times = 0; times < 5; times += 1) failures.capReached('evidence');
    failures.capReached('refused payments');
    expect(lines.map((line) => (JSON.parse(line) as { err: Error }).err.message)).toEqual([
      'evidence',
      'refused payments',
    ]);
    expect((await failures.counter.get()).values).toEqual([{ labels: { part: 'growth' }, value: 6 }]);
  });
});
