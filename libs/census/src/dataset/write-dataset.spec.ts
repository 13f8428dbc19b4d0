import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { rail } from '../../../../test/support/report';
import { FIGURES } from '../figures/figures';
import { OUTCOMES, outcomeOf, TABLES, type ProbedHost } from './tables';
import { writeDataset } from './write-dataset';

const DAY = '2026-11-23';
const ROW = { name: 'lost', hosts: 1, total: 2 };

const words = fc.string({ unit: 'grapheme', maxLength: 12 });
const maybe = fc.option(words, { nil: null });
const finding = fc.record({
  rules: fc.constant('2026-11-22'),
  probed: fc.constantFrom('first' as const, 'full' as const),
  signs: fc.array(words, { maxLength: 2 }),
  requests: fc.array(
    fc.record({
      method: fc.constant('GET' as const),
      url: fc.webUrl(),
      phase: fc.constantFrom('presence', 'callability', 'signals'),
      status: fc.integer({ min: 100, max: 599 }),
      bytes: fc.nat(10_485_760),
      sha256: fc.constant('ab'.repeat(32)),
    }),
    { maxLength: 8 },
  ),
  cells: fc.dictionary(
    fc.constantFrom('ucp', 'x402', 'llms'),
    fc.record(
      {
        status: fc.constantFrom('present' as const, 'error' as const),
        version: words,
        fixes: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
      },
      { requiredKeys: ['status'] },
    ),
  ),
  payable: fc.boolean(),
  rails: fc.array(
    fc
      .record({
        ...{ network: maybe, testnet: fc.boolean(), asset: maybe, amount: maybe, amountUsd: maybe, payTo: maybe },
        reasons: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
        clients: fc.array(fc.record({ name: words, versions: fc.array(words), pays: fc.boolean() }), { maxLength: 2 }),
      })
      .map(rail),
    { maxLength: 2 },
  ),
  signals: fc.array(fc.record({ id: words, status: fc.constant('valid') }), { maxLength: 2 }),
});
const hosts: fc.Arbitrary<readonly ProbedHost[]> = fc.array(
  fc.record({
    domain: fc.domain(),
    site: fc.domain(),
    list: fc.constant('list.csv'),
    outcome: fc.constantFrom('found', 'nothing', 'unreachable:timeout', 'blocked:bot_challenge'),
    probedAt: fc.date({ noInvalidDate: true, min: new Date('2026-01-01'), max: new Date('2027-01-01') }),
    finding: fc.option(finding, { nil: null }),
  }),
  { maxLength: 30 },
);

async function* each(list: readonly ProbedHost[]): AsyncGenerator<ProbedHost> {
  for (const host of list) yield await Promise.resolve(host);
}

async function write(list: readonly ProbedHost[]) {
  const folder = mkdtempSync(join(tmpdir(), 'dataset-'));
  const facts = { day: DAY, version: '1', vantage: 'hostprobe/1', optedOut: () => 3 };
  return { folder, release: await writeDataset(folder, each(list), facts, { before: null, rows: { dead: [ROW] } }) };
}

async function readBack(folder: string, table: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const file = readFileSync(join(folder, table, `day=${DAY}`, 'part-0.parquet'));
  const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
  return parquetReadObjects({ file: bytes });
}

describe('a dataset', () => {
  it('reads back unchanged, every row of every table', async () => {
    await fc.assert(
      fc.asyncProperty(hosts, async (list) => {
        const { folder, release } = await write(list);
        expect(release.hosts).toBe(list.length);
        for (const { name, columns, rows } of TABLES) {
          const wanted = list
            .flatMap((host) => rows(host))
            .map((row) => Object.fromEntries(columns.map((column, at) => [column.name, row[at] ?? null])));
          const read = await readBack(folder, name);
          expect(
            read.map((row) => Object.fromEntries(columns.map(({ name: key }) => [key, row[key] ?? null]))),
          ).toEqual(wanted);
        }
        const counted = (await readBack(folder, OUTCOMES.name)).reduce(
          (sum, { hosts: count }) => sum + Number(count),
          0,
        );
        expect(counted).toBe(list.length);
      }),
      { numRuns: 40 },
    );
  });

  it('has the hash of every file, and a card that lists omissions', async () => {
    const { folder, release } = await write([
      { domain: 'a.example', site: 'a.example', list: 'l', outcome: 'nothing', probedAt: new Date(0), finding: null },
    ]);
    const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
    expect(sums.map((line) => line.slice(66))).toEqual(release.files.filter((path) => path !== 'SHA256SUMS'));
    for (const line of sums) {
      const hash = createHash('sha256')
        .update(readFileSync(join(folder, line.slice(66))))
        .digest('hex');
      expect(line.slice(0, 64)).toBe(hash);
    }
    const card = readFileSync(join(folder, 'README.md'), 'utf8');
    for (const words of ['Hosts: 1, from l', '3 hosts that opted out', 'hostprobe/1', '### requests'])
      expect(card).toContain(words);
  });

  it('has every figure, with its definition and its denominator', async () => {
    const { folder, release } = await write([]);
    expect(release.files).toContain('figures.json');
    const said = JSON.parse(readFileSync(join(folder, 'figures.json'), 'utf8')) as { figures: readonly object[] };
    expect(said).toMatchObject({ day: DAY, before: null });
    expect(said.figures).toEqual(
      FIGURES.map(({ sql, ...figure }) => ({ ...figure, query: sql, rows: figure.id === 'dead' ? [ROW] : [] })),
    );
  });

  it('separates an outcome from its reason', () => {
    expect(outcomeOf('unreachable:timeout')).toEqual({ kind: 'unreachable', reason: 'timeout' });
    expect(outcomeOf('found')).toEqual({ kind: 'found', reason: null });
  });
});
