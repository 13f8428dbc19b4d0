import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { DETECTORS, FIRST_PASS, FIRST_PASS_REQUESTS, HostEvidence, isFound, judgeHost } from '@app/detectors';
import { answersOf, generatedHosts, plainHost, publications, type Publication } from './support/generated-host';
import { firstPassInMemory, probeInMemory } from './support/memory-host';

/** The protocols that a full probe finds, ignoring what the host answers to any path. */
async function foundAt(publication: Publication): Promise<readonly string[]> {
  const seen = new HostEvidence(await probeInMemory(answersOf(plainHost(publication)), {}));
  return judgeHost(DETECTORS, seen).cells.flatMap((cell) => (isFound(cell) ? [cell.id] : []));
}

/** Whole fixtures and single documents, but no pairs: a pair hides which document was found. */
const isSingle = ({ name }: Publication): boolean => {
  const [one, other = one] = name.split(' and ');
  return one === other;
};

const asksFor = new Set(FIRST_PASS.map(({ url }) => url));

describe('the first pass of a census', () => {
  let known: readonly Publication[] = [];
  beforeAll(async () => {
    known = await publications();
  });

  it('misses as much of each protocol as documented', async () => {
    const count = new Map<string, { hosts: number; missed: number }>();
    for (const publication of known.filter(isSingle)) {
      const found = await foundAt(publication);
      const { signs } = await firstPassInMemory(answersOf(plainHost(publication)));
      for (const id of found) {
        const { hosts, missed } = count.get(id) ?? { hosts: 0, missed: 0 };
        count.set(id, { hosts: hosts + 1, missed: missed + (signs.length === 0 ? 1 : 0) });
      }
    }
    const rows = readFileSync('docs/census.md', 'utf8').matchAll(/^\| `([\w-]+)` +\| +(\d+) \| +(\d+) \|/gm);
    const stated = [...rows].map(([, id = '', hosts, missed]) => [
      id,
      { hosts: Number(hosts), missed: Number(missed) },
    ]);
    expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(count));
  });

  it('makes at most eight requests to any host, including redirects, and one if robots.txt disallows it', async () => {
    await fc.assert(
      fc.asyncProperty(generatedHosts(known), fc.boolean(), async (host, mayProbe) => {
        const { log, exchanges, gaveWay } = await firstPassInMemory(answersOf(host), mayProbe);
        expect(gaveWay).toBeGreaterThanOrEqual(exchanges.length - 1);
        expect(log.length).toBeLessThanOrEqual(FIRST_PASS_REQUESTS);
        if (!mayProbe) expect(exchanges).toHaveLength(1);
      }),
      { numRuns: 60 },
    );
  });

  it('misses no requested document on a host that answers 404 to the rest', async () => {
    const asked = known.filter(({ routes }) => Object.keys(routes).some((path) => asksFor.has(path)));
    expect(asked.length).toBeGreaterThan(10);
    for (const publication of asked) {
      const found = await foundAt(publication);
      const { signs } = await firstPassInMemory(answersOf(plainHost(publication)));
      expect([publication.name, signs.length > 0]).toEqual([publication.name, found.length > 0]);
    }
  });

  it('causes full probes of at most one in twenty empty hosts, with any catch-all answer', async () => {
    const nothing = known.filter(({ name }) => name === 'nothing');
    const hosts = fc.sample(generatedHosts(nothing), 100);
    let signs = 0;
    for (const host of hosts) signs += (await firstPassInMemory(answersOf(host))).signs.length > 0 ? 1 : 0;
    expect(signs).toBeLessThanOrEqual(hosts.length / 20);
  });

  it('sends one request to a host that accepts no connections', async () => {
    const { log } = await firstPassInMemory(() => ({ failure: 'connect_refused' }));
    expect(log).toHaveLength(1);
  });
});
