import { Database, HostRepository, RailRepository, RunRepository } from '@app/storage';
import { orderOf } from '@app/queue';
import type { PaymentRail } from '@app/reports';
import { hostName } from '../../../test/support/probing';
import { rail } from '../../../test/support/report';
import { freshDatabase } from '../../../test/support/stack';

describe('hosts by their payment options', () => {
  let database: Database;
  let rails: RailRepository;

  beforeAll(async () => {
    database = new Database(await freshDatabase(), { secretsKeys: ['of this test only'] });
    rails = new RailRepository(database);
    await probe('b.example.com', [rail({ amountUsd: '0.5' })]);
    await probe('a.example.com', [
      rail(),
      rail({ network: 'eip155:137', amountUsd: null, resource: 'https://a.example.com/Quote' }),
    ]);
    await probe('c.example.com', [rail({ reasons: ['unknown_asset'] })]);
    await probe('d.example.com', [rail({ protocol: 'mpp', network: null, amountUsd: '0.0099' })]);
    await probe('a-b.example.com', [rail({ network: 'eip155:137' })]);
  });
  afterAll(() => database.close());

  async function probe(domain: string, found: readonly PaymentRail[], baseVersion = 0): Promise<void> {
    const order = orderOf({ kind: 'host', host: hostName(domain) });
    const { run } = await new RunRepository(database).open(order, new Date(Date.now() + 60_000));
    const saved = await new HostRepository(database).saveProbe({
      runId: run.id,
      bought: true,
      domain,
      site: 'example.com',
      baseVersion,
      facts: '{}',
      clocks: {},
      reachable: true,
      payable: true,
      rails: found,
      driftMemory: null,
      events: [],
      outcome: {},
    });
    expect(saved).toBe('saved');
  }

  const names = async (...query: Parameters<RailRepository['payableHosts']>): Promise<readonly string[]> =>
    (await rails.payableHosts(...query)).map(({ domain }) => domain.replace('.example.com', ''));

  it('come in alphabetical order, byte by byte, without those that cannot be paid', async () => {
    expect(await names({}, '', 10)).toEqual(['a-b', 'a', 'b', 'd']);
  });

  it('come by their cheapest matching price where a person sorts them so', async () => {
    expect(await names({}, '', 10, 'price')).toEqual(['d', 'a-b', 'a', 'b']);
    expect(await names({ protocol: 'x402' }, '', 2, 'price')).toEqual(['a-b', 'a']);
    expect([...(await names({}, '', 10, 'checked'))].sort()).toEqual(['a', 'a-b', 'b', 'd']);
  });

  it('continue after the last host of a page, without gaps', async () => {
    expect(await names({}, '', 2)).toEqual(['a-b', 'a']);
    expect(await names({}, 'a.example.com', 2)).toEqual(['b', 'd']);
    expect(await names({}, 'd.example.com', 2)).toEqual([]);
  });

  it.each([
    [{ protocol: 'mpp' } as const, ['d']],
    [{ network: 'eip155:137' }, ['a-b', 'a']],
    [{ maxPriceUsd: '0.01' }, ['a-b', 'a', 'd']],
    [{ maxPriceUsd: '0.0099' }, ['d']],
    [{ maxPriceUsd: '0' }, []],
    [{ query: 'quote' }, ['a-b', 'a', 'b', 'd']],
    [{ query: 'a.example' }, ['a']],
    [{ query: '%' }, []],
    [{ query: 'a_b' }, []],
    [{ query: String.raw`a\-b` }, []],
    [{ query: 'a', network: 'eip155:137', protocol: 'x402' } as const, ['a-b', 'a']],
  ])('are found by %j', async (filter, expected) => {
    const found = await names(filter, '', 10);
    expect(found).toEqual(expected);
  });

  it('show the matching options in report order', async () => {
    const [, host] = await rails.payableHosts({ network: 'eip155:137' }, '', 10);
    expect(host).toMatchObject({ domain: 'a.example.com', rails: [{ network: 'eip155:137' }] });
    const [, whole] = await rails.payableHosts({}, '', 10);
    expect(whole?.rails.map(({ network }) => network)).toEqual(['eip155:8453', 'eip155:137']);
    expect(whole?.observedAt).toBe('2026-11-01T12:00:00.000Z');
  });

  it('lose the options that a later probe did not find', async () => {
    await probe('e.example.com', [rail(), rail({ network: 'eip155:137' })]);
    expect(await names({ query: 'e.example.com/', network: 'eip155:137' }, 'd.example.com', 10)).toEqual([]);
    expect(await names({ network: 'eip155:137' }, 'd.example.com', 10)).toEqual(['e']);
    await probe('e.example.com', [rail({ network: 'eip155:10' })], 1);
    expect(await rails.payableHosts({}, 'd.example.com', 10)).toMatchObject([{ rails: [{ network: 'eip155:10' }] }]);
    await probe('e.example.com', [], 2);
    expect(await names({}, 'd.example.com', 10)).toEqual([]);
  });

  it('can store anything that a hostile host states', async () => {
    const hostile = rail({
      network: 'x\u0000y',
      payTo: '\u0000',
      asset: '\ud800',
      resource: 'https://f.example.com/\u0000',
    });
    await probe('f.example.com', [hostile]);
    const [host] = await rails.payableHosts({ query: 'f.example' }, 'd.example.com', 10);
    expect(host?.rails).toEqual([hostile]);
  });
});
