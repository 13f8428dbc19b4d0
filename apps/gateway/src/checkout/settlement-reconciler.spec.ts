import fc from 'fast-check';
import type { Attempt } from '@app/payments';
import { Settler, type SettlerDeps } from './settler';
import { SettlementReconciler, type SettlementReconcilerDeps } from './settlement-reconciler';

/** A ledger with `rows` due attempts. They stay due until their work, which may fail, moves them on. */
function pass(rows: number, moves: (id: string) => boolean, fails: (id: string) => boolean) {
  const due = new Set(Array.from({ length: rows }, (_, id) => String(id)));
  const works = new Map<string, number>();
  let reads = 0;
  const next = (limit: number) => {
    reads += 1;
    if (reads > 10 * rows + 10) throw new Error('the pass does not end');
    return Promise.resolve([...due].slice(0, limit).map((id) => ({ id }) as Attempt));
  };
  const work = ({ id }: Attempt) => {
    works.set(id, (works.get(id) ?? 0) + 1);
    if (moves(id)) due.delete(id);
    if (fails(id)) return Promise.reject(new Error('this one never works'));
    return Promise.resolve({ kind: 'unknown' });
  };
  const [none, nothing] = [() => Promise.resolve(0), () => Promise.resolve([])];
  const deps = (of: 'due' | 'watched') =>
    ({
      ledger: { takeOver: (attempt: Attempt) => Promise.resolve(attempt) },
      open: { closeExpired: none, forgetUncharged: none, due: nothing, watched: nothing, [of]: next },
      settler: { recheck: work, settleAgain: work },
      now: () => new Date(0),
      failed: () => undefined,
    }) as unknown as SettlementReconcilerDeps;
  return { deps, works };
}

describe('a pass of the reconciler', () => {
  it.each(['due', 'watched'] as const)('ends and takes each row only once, even if its rows are %s', async (of) => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 100 }), fc.integer({ min: 1, max: 5 }), async (rows, every) => {
        const isStuck = (id: string): boolean => Number(id) % every === 0;
        const { deps, works } = pass(rows, (id) => !isStuck(id), isStuck);
        await new SettlementReconciler(deps(of)).pass();
        expect([...works.values()].filter((times) => times !== 1)).toEqual([]);
        expect(works.size > 0).toBe(rows > 0);
      }),
    );
  });
});

describe('a settlement in a gateway without a node', () => {
  it('is not rechecked, because the chain cannot be read', async () => {
    const watched: unknown[] = [];
    const ledger = { watch: (attempt: Attempt, over: boolean) => Promise.resolve(watched.push([attempt.id, over])) };
    const settler = new Settler({ ledger } as unknown as SettlerDeps);
    await settler.recheck({ id: 'sold', state: 'settled' } as Attempt);
    expect(watched).toEqual([['sold', true]]);
  });
});
