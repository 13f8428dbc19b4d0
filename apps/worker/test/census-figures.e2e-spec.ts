import { CensusFinding, FIGURES } from '@app/census';
import { CensusRepository, countFigures, Database, type FigureRow } from '@app/storage';
import { rail as railOf } from '../../../test/support/report';
import { freshDatabase } from '../../../test/support/stack';

const [BEFORE, DAY] = ['2026-11-16', '2026-11-23'] as const;

const CLIENTS = [
  { name: '@x402/fetch', versions: ['2.27'], pays: true },
  { name: 'mppx', versions: ['0.11'], pays: true },
  { name: 'x402-fetch', versions: ['1.2'], pays: false },
];
const cell = (status: 'present' | 'partial' | 'absent' | 'error', more: object = {}) => ({ status, ...more });
const rail = (more: Parameters<typeof railOf>[0] = {}) => railOf({ clients: CLIENTS, ...more });
const full = (more: object = {}): CensusFinding =>
  CensusFinding.parse({
    rules: '2026-11-22',
    probed: 'full',
    signs: [],
    requests: [],
    cells: {},
    payable: false,
    rails: [],
    signals: [],
    ...more,
  });
const SELLS = { x402: cell('partial', { fixes: ['x402.partial', 'x402.asset_unknown'] }) };
const PAID = full({ cells: SELLS, payable: true, rails: [rail()] });

type Hosts = readonly (readonly [domain: string, outcome: string, finding: CensusFinding | null])[];
/** This many hosts of a kind. */
const some = (count: number, kind: string, outcome: string, finding: CensusFinding | null = null): Hosts =>
  Array.from({ length: count }, (_, at) => [`h${at}.${kind}.example.com`, outcome, finding] as const);

describe('the figures of a day', () => {
  let database: Database;
  let census: CensusRepository;

  beforeAll(async () => {
    database = new Database(await freshDatabase());
    census = new CensusRepository(database);
  });
  beforeEach(() => database.pool.query('TRUNCATE census_host'));
  afterAll(() => database.close());

  async function write(day: string, hosts: Hosts): Promise<void> {
    await census.add(
      day,
      'list',
      'first',
      hosts.map(([domain]) => ({ domain, site: domain })),
    );
    await census.end(hosts.map(([domain, outcome, finding]) => ({ day, domain, outcome, finding })));
  }
  async function measured(optedOut: readonly string[] = []) {
    const { rows: figures } = await countFigures(database, DAY, optedOut, FIGURES);
    return Object.fromEntries(
      Object.entries(figures).map(([id, rows]) => [
        id,
        Object.fromEntries(rows.map(({ name, hosts, total }: FigureRow) => [name, [hosts, total]])),
      ]),
    );
  }

  it('counts 7, 17 and 76 of a hundred as dead, depending on the definition', async () => {
    await write(BEFORE, some(100, 'sold', 'found', PAID));
    await write(DAY, [
      ...some(7, 'sold', 'unreachable:timeout'),
      ...some(10, 'refuses', 'blocked:bot_challenge'),
      ...some(59, 'empty', 'nothing'),
      ...some(24, 'open', 'found', full({ cells: SELLS })),
    ]);
    const { dead } = await measured();
    expect(dead).toEqual({
      no_answer: [7, 100],
      no_answer_or_refused: [17, 100],
      nothing_found: [76, 100],
      lost: [7, 7],
      no_challenge: [24, 24],
      not_payable: [24, 24],
    });
  });

  it('each match their definition and denominator', async () => {
    await write(BEFORE, [
      ...some(3, 'shop', 'found', PAID),
      ...some(2, 'turned', 'found', full({ cells: { llms: cell('present') } })),
      ...some(2, 'unsure', 'found', full({ cells: { llms: cell('present') } })),
    ]);
    const testnet = rail({ network: 'eip155:84532', testnet: true, clients: [] });
    const poor = rail({ reasons: ['asset_unknown'], clients: [] });
    await write(DAY, [
      ...some(3, 'shop', 'found', PAID),
      ...some(2, 'turned', 'found', PAID),
      ...some(2, 'unsure', 'nothing', full({ cells: { llms: cell('error', { reason: 'timeout' }) } })),
      ...some(4, 'tests', 'found', full({ cells: SELLS, payable: true, rails: [testnet] })),
      ...some(5, 'poor', 'found', full({ cells: SELLS, rails: [poor] })),
      ...some(6, 'any-path', 'nothing', full({ cells: { llms: cell('present', { catchAll: true }) } })),
      ...some(7, 'dns', 'nothing', full({ signals: [{ id: 'x402-dns', status: 'valid' }] })),
      ...some(8, 'gone', 'unreachable:connect_refused'),
      ...some(1, 'quiet', 'unwanted'),
      ...some(9, 'left', 'opted_out'),
    ]);
    expect(await measured()).toEqual({
      outcomes: { found: [14, 38], nothing: [15, 38], unreachable: [8, 38], unwanted: [1, 38] },
      adoption: { x402: [14, 29] },
      dead: {
        no_answer: [8, 37],
        no_answer_or_refused: [8, 37],
        nothing_found: [23, 37],
        lost: [0, 3],
        no_challenge: [0, 14],
        not_payable: [5, 14],
      },
      payable: { published: [14, 29], challenged: [14, 29], payable: [9, 29], testnet_only: [4, 29] },
      payers: { '@x402/fetch 2.27': [5, 9], 'mppx 0.11': [5, 9] },
      networks: { 'eip155:8453': [5, 9], 'eip155:84532': [4, 9] },
      prices: { '0.01 to 0.1': [5, 5] },
      failures: { 'unreachable: connect_refused': [8, 38], unwanted: [1, 38] },
      undecided: { timeout: [2, 29] },
      findings: { 'x402.asset_unknown': [14, 14], 'x402.partial': [14, 14] },
      signals: { 'x402-dns': [7, 29] },
      drift: { 'llms gone': [2, 7], 'payable appeared': [2, 7], 'x402 appeared': [2, 7] },
    });
  });

  it('are all zero when no host was probed', async () => {
    const figures = await measured();
    expect(Object.keys(figures).toSorted()).toEqual(FIGURES.map(({ id }) => id).toSorted());
    for (const rows of Object.values(figures)) for (const row of Object.values(rows)) expect(row).toEqual([0, 0]);
  });

  it('leave out hosts that opted out since, and their subdomains', async () => {
    await write(DAY, [
      ...some(3, 'shop', 'found', PAID),
      ...some(2, 'empty', 'nothing'),
      ['www.a.example', 'nothing', null],
      ['a.example', 'nothing', null],
    ]);
    expect((await measured())['outcomes']).toEqual({ found: [3, 7], nothing: [4, 7] });
    expect((await measured(['shop.example.com', 'h0.empty.example.com']))['outcomes']).toEqual({ nothing: [3, 3] });
    expect((await measured(['www.a.example']))['outcomes']).toEqual({ found: [3, 5], nothing: [2, 5] });
  });
});
