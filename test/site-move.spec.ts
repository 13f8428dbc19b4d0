import fc from 'fast-check';
import { DETECTORS, HostEvidence, judgeHost } from '@app/detectors';
import type { CollectedEvidence } from '@app/probing';
import { paymentRails } from '@app/reports';
import { probeInMemory } from './support/memory-host';
import { routeOf } from './support/memory-route';
import { behind, fixtureAnswer, fixtures, moves, NAME, type Move } from './support/moved-host';
import { hostName, testProber } from './support/probing';
import { startTestHost } from './support/test-host';
import { partOf } from './support/generated';

/** Everything in a report except where it was read; the names of the host are treated as one. */
function saidOf(seen: CollectedEvidence, { via, home }: Pick<Move, 'via' | 'home'> = { via: [], home: undefined }) {
  const evidence = new HostEvidence(seen);
  const { cells } = judgeHost(DETECTORS, evidence);
  const plain = (value: unknown): unknown => {
    const text = via.reduce((all, name) => all.replaceAll(`//${name}`, `//${NAME}`), JSON.stringify(value));
    return JSON.parse(home === undefined ? text : text.replaceAll(`//${NAME}${home}"`, `//${NAME}/"`)) as unknown;
  };
  const { payable, rails } = paymentRails(evidence);
  const undated = rails.map((rail) => ({ ...rail, observedAt: null }));
  return {
    cells: cells.map(({ details, ...cell }) => ({ ...cell, details: plain({ ...details, evidence: null }) })),
    rails: plain({ payable, rails: undated }),
  };
}

interface Known {
  readonly answer: Awaited<ReturnType<typeof fixtureAnswer>>;
  readonly probe: CollectedEvidence;
  readonly said: ReturnType<typeof saidOf>;
}

const known = new Map<string, Known>();
beforeAll(async () => {
  for (const name of fixtures) {
    const answer = await fixtureAnswer(name);
    const probe = await probeInMemory(answer, {});
    known.set(name, { answer, probe, said: saidOf(probe) });
  }
});

/** Checks the probe of a fixture that has moved. */
function expectAlike({ said, probe }: Omit<Known, 'answer'>, move: Move, moved: CollectedEvidence): void {
  const now = saidOf(moved, move);
  const others = (cells: typeof now.cells) => cells.filter(({ id }) => id !== 'ucp');
  expect(others(now.cells)).toEqual(others(said.cells));
  expect(now.rails).toEqual(said.rails);
  const [was, is] = [said, now].map(({ cells }) => cells.find(({ id }) => id === 'ucp')!);
  expect(is!.status).toBe(was!.status === 'present' ? 'partial' : was!.status);
  if (was!.status === 'present') expect(is!.details).toMatchObject({ note: 'redirected' });
  const hops = 4 * move.via.length + (move.home === undefined ? 0 : 1);
  expect(moved.requests).toBeLessThanOrEqual(probe.requests + hops);
  const underOldName = moved.exchanges.slice(4).filter(({ url }) => new URL(url).hostname === NAME);
  expect(underOldName).toEqual([]);
}

describe('a host that redirects every path to another of its names', () => {
  it('gets the same results as there, except for UCP, with a few more requests', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...fixtures), moves, async (name, move) => {
        const fixture = known.get(name)!;
        expectAlike(fixture, move, await probeInMemory(behind(move, fixture.answer), {}));
      }),
      { numRuns: partOf(2_000) },
    );
  });

  it('gets the same results through real sockets', async () => {
    const probed = async (answer: Known['answer'], names: readonly string[]): Promise<CollectedEvidence> => {
      const host = await startTestHost({ '*': routeOf(answer) });
      const prober = await testProber({ connectTo: names.map((name) => host.as(name)).join() });
      const phases = ['presence', 'callability'] as const;
      return prober.collect(hostName(), { detectors: DETECTORS, phases }).finally(() => host.close());
    };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...fixtures), moves, async (name, move) => {
        const { answer } = known.get(name)!;
        const probe = await probed(answer, [NAME]);
        const moved = await probed(behind(move, answer), [NAME, ...move.via]);
        expectAlike({ probe, said: saidOf(probe) }, move, moved);
      }),
      { numRuns: partOf(250) },
    );
  });
});
