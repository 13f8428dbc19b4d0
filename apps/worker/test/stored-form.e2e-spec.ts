import { createHash } from 'node:crypto';
import { Database, HostRepository, RunRepository, type Probe } from '@app/storage';
import { orderOf } from '@app/queue';
import { FORM, upgradeFacts } from '@app/reports';
import { hostName } from '../../../test/support/report';
import { freshDatabase } from '../../../test/support/stack';

const NAMES = ['current.example.com', 'older.example.com'] as const;
const AT = '2026-11-01T12:00:00.000Z';

describe('a stored report', () => {
  let database: Database;
  let hosts: HostRepository;

  beforeAll(async () => {
    database = new Database(await freshDatabase(), { secretsKeys: ['of this test only'] });
    // An upgrade from the form before today's, as a later release would have one.
    const upgrade = (text: string, form: number) =>
      upgradeFacts(text, form - FORM + 2, [(facts) => ({ ...facts, upgraded: true })]);
    hosts = new HostRepository(database, upgrade);
    for (const domain of NAMES) await probe(domain, 0);
    await database.pool.query('UPDATE host SET form = $1 WHERE domain = $2', [FORM - 1, 'older.example.com']);
  });
  afterAll(() => database.close());

  async function probe(domain: string, baseVersion: number): Promise<void> {
    const order = orderOf({ kind: 'host', host: hostName(domain) });
    const { run } = await new RunRepository(database).open(order, new Date(Date.now() + 60_000));
    const written: Probe = {
      runId: run.id,
      domain,
      site: 'example.com',
      baseVersion,
      facts: `{"domain":"${domain}" }`,
      clocks: { probedAt: AT },
      reachable: true,
      payable: false,
      rails: [],
      driftMemory: null,
      events: [],
      outcome: {},
    };
    expect(await hosts.saveProbe(written)).toBe('saved');
  }

  const CURRENT_TEXT = '{"domain":"current.example.com" }';
  // Only a text that is served as it is stored can be stated.
  const CURRENT = {
    version: 1,
    facts: CURRENT_TEXT,
    clocks: { probedAt: AT },
    stated: { id: expect.any(String) as string, sha256: createHash('sha256').update(CURRENT_TEXT).digest('hex') },
  };
  const OLDER = {
    version: 1,
    facts: '{"domain":"older.example.com","upgraded":true}',
    clocks: { probedAt: AT },
  };

  it('of an older form is upgraded by every read, and one of the form of today is the text that was stored', async () => {
    expect(await hosts.findReport('current.example.com')).toEqual(CURRENT);
    expect(await hosts.findReport('older.example.com')).toEqual(OLDER);
    expect(await hosts.findReports(NAMES)).toEqual(
      new Map<string, unknown>([
        ['current.example.com', { ...CURRENT, history: expect.any(Object) as object }],
        ['older.example.com', { ...OLDER, history: expect.any(Object) as object }],
      ]),
    );
    expect(await hosts.find('older.example.com')).toEqual({ ...OLDER, driftMemory: null });
    expect(new Set(await hosts.latest(2))).toEqual(new Set([CURRENT.facts, OLDER.facts]));
  });

  it('is of the form of today again after the next probe', async () => {
    await probe('older.example.com', 1);
    const { rows } = await database.pool.query('SELECT form FROM host ORDER BY domain');
    expect(rows).toEqual([{ form: FORM }, { form: FORM }]);
    expect(await hosts.findReport('older.example.com')).toMatchObject({ facts: '{"domain":"older.example.com" }' });
  });
});
