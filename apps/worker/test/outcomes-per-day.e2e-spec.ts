import { Database, HostRepository } from '@app/storage';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

describe('outcomes per day', () => {
  let service: Service;
  let shop: TestHost;
  let database: Database;
  beforeAll(async () => {
    shop = await startTestHost({ '/': says('hello') });
    const connectTo = [shop.as('up.example.com'), 'down.example.com:443=127.0.0.1:1'];
    service = await startService({ backend: backends()[0]!, connectTo });
    database = new Database(service.config.database.url, { maxConnections: 1 });
    await service.admitted();
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    await shop.close();
  });

  const probed = async (domain: string) => {
    const url = `${service.baseUrl}/api/v1/hosts/${domain}/refresh`;
    expect((await (await newPayer()).fetch(url)).status).toBe(200);
  };
  const dayOf = async (domain: string) => {
    const { rows } = await database.pool.query<Record<string, unknown> & { bitmap: Buffer }>(
      'SELECT up, down, unknown, bought_up, bought_down, reasons, bitmap FROM host_day WHERE domain = $1 ORDER BY day',
      [domain],
    );
    expect(rows).toHaveLength(1);
    const { bitmap, ...counts } = rows[0]!;
    return { ...counts, bits: [...bitmap].filter((byte) => byte !== 0) };
  };
  const none = { up: 0, down: 0, unknown: 0, bought_up: 0, bought_down: 0, reasons: {} };

  it('counts up and down with the reason, in one row per host and day', async () => {
    await probed('up.example.com');
    await probed('down.example.com');
    await probed('down.example.com');
    const [up, down] = [await dayOf('up.example.com'), await dayOf('down.example.com')];
    expect(up).toMatchObject({ ...none, bought_up: 1 });
    expect(down).toMatchObject({ ...none, bought_down: 2, reasons: { connect_refused: 2 } });
    // One quarter of an hour, or two if a boundary passed between the probes; `up` sets the lower bit of each pair.
    expect(up.bits.map((byte) => byte & 0b10101010)).toEqual([0]);
    expect(down.bits.every((byte) => (byte & 0b01010101) === 0)).toBe(true);
  });

  it('counts unknown results separately, and by quarters of an hour', async () => {
    const days = new HostRepository(database);
    const at = new Date('2026-11-20T23:59:00.000Z');
    await days.addUnknown('unknown.example.com', at, 'worker_failed');
    await days.addUnknown('unknown.example.com', new Date('2026-11-20T00:00:00.000Z'), 'worker_failed');
    expect(await dayOf('unknown.example.com')).toEqual({
      ...none,
      unknown: 2,
      reasons: { worker_failed: 2 },
      bits: [],
    });
  });
});
