import fc from 'fast-check';
import { DETECTORS, HostEvidence, judgeHost, type HostEvidenceInput, type ProtocolCell } from '@app/detectors';
import {
  bundleText,
  compareReport,
  compareStatement,
  EVIDENCE_LIMITS,
  judgeBundle,
  readBundle,
  withinLimits,
  type Bundle,
  type EvidenceLimits,
} from '@app/evidence';
import { without } from '@app/platform';
import { shortCell } from '@app/reports';
import { bundleOf } from '../apps/worker/src/jobs/bundle-of';
import { answersOf, generatedHosts, publications, type Publication } from './support/generated-host';
import { html, json, plain } from './support/evidence';
import { probeInMemory } from './support/memory-host';
import { probeSite } from './support/site';
import { partOf } from './support/generated';

/** The number of hosts whose bundles are judged again; each takes about 12 ms of processor time. */
const HOSTS = partOf(1_000);

type Known = Pick<HostEvidenceInput, 'domain' | 'origin' | 'site' | 'exchanges'>;
const judge = (known: Known): readonly ProtocolCell[] => judgeHost(DETECTORS, new HostEvidence(known)).cells;

/** A report in JSON and its bundle, as a worker stores them. */
async function probed(seen: Known, limits: EvidenceLimits = EVIDENCE_LIMITS) {
  const { domain, origin, site, exchanges } = seen;
  const known = { domain, origin, site, exchanges };
  const cells = judge(known);
  const kept = withinLimits(known.exchanges, limits);
  const bundle = await bundleOf({ known, origin, kept, cells }, (shown) => Promise.resolve({ cells: judge(shown) }));
  return { bundle, cells: JSON.parse(JSON.stringify(cells)) as readonly ProtocolCell[] };
}
const fileOf = ({ lines, bodies }: Bundle): Buffer =>
  Buffer.from(
    bundleText(
      lines,
      new Map([...bodies].map(([name, { bytes, leaks }]) => [name, leaks ? { withheld: 'private_key' } : { bytes }])),
    ),
  );
const results = async (
  file: Buffer,
  root: string,
  cells: readonly ProtocolCell[],
): Promise<Readonly<Record<string, string>>> => {
  const read = await readBundle(file, root);
  const compared = compareReport(read, judgeBundle(read).cells, cells);
  return Object.fromEntries(compared.map(({ id, result }) => [id, result]));
};

describe('a re-evaluated bundle', () => {
  let known: readonly Publication[];
  beforeAll(async () => {
    known = await publications();
  });
  it('gives the same results as the report, for every host', async () => {
    await fc.assert(
      fc.asyncProperty(generatedHosts(known), async (host) => {
        const { bundle, cells } = await probed(await probeInMemory(answersOf(host), {}));
        const said = await results(fileOf(bundle), bundle.root, cells);
        expect(Object.entries(said).filter(([, result]) => result !== 'same')).toEqual([]);
        const read = await readBundle(fileOf(bundle), bundle.root);
        const stated = Object.fromEntries(cells.map((cell) => [cell.id, shortCell(cell)]));
        const compared = compareStatement(read, judgeBundle(read).cells, stated);
        expect(compared.every(({ result }) => result === 'same')).toBe(true);
      }),
      { numRuns: HOSTS },
    );
  });

  it('never reports a difference if a body was too long or an exchange was left out', async () => {
    const limits = fc.record({ body: fc.integer({ min: 0, max: 400 }), probe: fc.integer({ min: 200, max: 20_000 }) });
    await fc.assert(
      fc.asyncProperty(generatedHosts(known), limits, async (host, most) => {
        const { bundle, cells } = await probed(await probeInMemory(answersOf(host), {}), most);
        expect(Object.values(await results(fileOf(bundle), bundle.root, cells))).not.toContain('differs');
      }),
      { numRuns: Math.ceil(HOSTS / 3) },
    );
  });

  const llms = `# Shop\n\n- [a](https://shop.example.com/a): ${'lamps '.repeat(60_000)}\n`;
  it('does not re-evaluate a cell decided by an oversized body, and keeps its stated result', async () => {
    const { bundle, cells } = await probed(await probeSite({ '/': html(), '/llms.txt': plain(llms) }));
    expect(await results(fileOf(bundle), bundle.root, cells)).toMatchObject({
      llms: 'not_rejudged',
      ucp: 'same',
      x402: 'same',
    });
    const { lines } = await readBundle(fileOf(bundle));
    const details = without(cells.find(({ id }) => id === 'llms')!.details, 'evidence');
    expect(lines.filter(({ kind }) => kind === 'derived')).toEqual([
      { kind: 'derived', id: 'llms', status: 'present', version: null, details },
    ]);
  });

  it('does not re-evaluate cells of removed or withheld bodies, with the same results for the rest', async () => {
    const { bundle, cells } = await probed(
      await probeSite({ '/llms.txt': plain('# Shop\n\n- [a](https://a.example/)\n') }),
    );
    const lines = fileOf(bundle).toString().split('\n');
    const taken = lines.filter((line) => !(line.startsWith('{"body"') && line.includes('# Shop'))).join('\n');
    expect(lines.join('\n')).not.toBe(taken);
    const withheld = bundleText(
      bundle.lines,
      new Map([...bundle.bodies.keys()].map((name) => [name, { withheld: 'opt_out' as const }])),
    );
    for (const file of [taken, withheld]) {
      const said = await results(Buffer.from(file), bundle.root, cells);
      expect(said['llms']).toBe('not_rejudged');
      expect(Object.values(said)).not.toContain('differs');
    }
  });

  it('shows no body with a private key, and does not re-evaluate its cell', async () => {
    const key = { kty: 'EC', crv: 'P-256', d: 'nKkSxpHZ0m1Xq3JmCvk6Hh0eQ1o4Zt0Yp8s5u2w7x9A' };
    const profile = json({ ucp: { version: '2026-08-25' }, signing_keys: [key] });
    const { bundle, cells } = await probed(await probeSite({ '/.well-known/ucp': profile }));
    expect(fileOf(bundle).toString()).not.toContain(key.d);
    expect(fileOf(bundle).toString()).toContain('"withheld":"private_key"');
    expect(await results(fileOf(bundle), bundle.root, cells)).toMatchObject({ ucp: 'not_rejudged', llms: 'same' });
  });

  it('detects a report with different results', async () => {
    const { bundle, cells } = await probed(
      await probeSite({ '/llms.txt': plain('# Shop\n\n- [a](https://a.example/)\n') }),
    );
    const statuses = fc.constantFrom('present', 'partial', 'error');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...cells), statuses, async (cell, status) => {
        fc.pre(status !== cell.status);
        const forged = cells.map((one) => (one.id === cell.id ? { ...one, status } : one)) as readonly ProtocolCell[];
        expect(await results(fileOf(bundle), bundle.root, forged)).toMatchObject({ [cell.id]: 'differs' });
      }),
      { numRuns: 30 },
    );
    const forged = cells.map((one) => (one.id === 'llms' ? { ...one, details: { ...one.details, links: 7 } } : one));
    expect(await results(fileOf(bundle), bundle.root, forged)).toMatchObject({ llms: 'differs' });
  });
});
