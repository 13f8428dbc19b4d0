import { decodePaymentResponseHeader } from '@x402/core/http';
import type { HostReport } from '@app/reports';
import { balanceOf, newPayer, signPayment } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { startTestHost, type TestHost } from '../../../test/support/test-host';

const MAP = '# Shop\n\n- [a](https://shop.example.com/a)\n';

describe.each(backends())('a paid live probe, with the queue on %s', (backend) => {
  let service: Service;
  let shop: TestHost;
  let url: string;

  beforeAll(async () => {
    shop = await startTestHost({
      '/': (_request, response) =>
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title>'),
      '/llms.txt': (_request, response) => response.setHeader('content-type', 'text/plain').end(MAP),
    });
    service = await startService({ backend, connectTo: [shop.as('shop.example.com')] });
    url = `${service.baseUrl}/api/v1/hosts/shop.example.com/refresh`;
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  it('sells a refresh for exactly 20000 and a protocol refresh for exactly 5000 atomic units', async () => {
    const payer = await newPayer();
    const host = await payer.fetch(url);
    expect(host.status).toBe(200);
    expect(await payer.balance()).toBe(980_000n);
    const receipt = decodePaymentResponseHeader(host.headers.get('payment-response')!);
    expect(receipt).toMatchObject({
      success: true,
      network: 'eip155:8453',
      payer: payer.account.address.toLowerCase(),
    });
    const report = (await host.json()) as HostReport;
    expect(report).toMatchObject({
      domain: 'shop.example.com',
      reachable: true,
      cache: { presenceStale: false, callabilityStale: false },
    });
    expect(report.protocols.find((cell) => cell.id === 'llms')).toMatchObject({ status: 'present' });

    const one = await payer.fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com/protocols/LLMS/refresh`);
    const probed = (await one.json()) as object;
    expect(probed).toMatchObject({ domain: 'shop.example.com', protocol: 'llms', cell: { status: 'present' } });
    expect(Object.keys(probed)).toEqual(['domain', 'probedAt', 'protocol', 'cell']);
    expect(await payer.balance()).toBe(975_000n);
    expect(await balanceOf(service.payTo)).toBe(25_000n);
  });

  it('records a buyer as a reader of the host', async () => {
    const { pool } = service.services.database;
    const read = async (): Promise<boolean> =>
      (await pool.query<{ today: boolean }>(`SELECT last_read_at > now() - interval '1 day' AS today FROM host`))
        .rows[0]!.today;
    await pool.query(`UPDATE host SET last_read_at = now() - interval '40 days'`);
    expect(await read()).toBe(false);
    expect((await (await newPayer()).fetch(url)).status).toBe(200);
    expect(await read()).toBe(true);
  });

  it('treats refresh=1 on the report as a refresh', async () => {
    const payer = await newPayer();
    const asked = await fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com?refresh=1`);
    expect(asked.status).toBe(402);
    const paid = await payer.fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com?refresh=1`);
    expect(paid.status).toBe(200);
    expect(await payer.balance()).toBe(980_000n);
  });

  it('charges a payment once, however often it is sent, and returns the same answer', async () => {
    const payer = await newPayer();
    const headers = { 'payment-signature': await signPayment(payer, await fetch(url)) };
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(url, { headers })));
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 20 }, () => 200));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(bodies).size).toBe(1);
    const later = await fetch(url, { headers });
    expect(later.headers.get('idempotent-replayed')).toBe('true');
    expect(await later.text()).toBe(bodies[0]);
    expect(await payer.balance()).toBe(980_000n);
  });

  it('reports a payment header that is too long, and too many headers', async () => {
    const long = await fetch(url, { headers: { 'payment-signature': 'A'.repeat(16_385) } });
    expect(long.status).toBe(402);
    expect(await long.json()).toMatchObject({ code: 'payment_header_too_large' });
    const endless = await fetch(url, { headers: { 'payment-signature': 'A'.repeat(33_000) } });
    expect(endless.status).toBe(431);
  });

  it('charges a finished probe of a host that is down, with `reachable: false`', async () => {
    const payer = await newPayer();
    const dead = await payer.fetch(`${service.baseUrl}/api/v1/hosts/nothing-here.example.com/refresh`);
    expect(dead.status).toBe(200);
    const report = (await dead.json()) as HostReport;
    expect(report.reachable).toBe(false);
    expect(report.fixes).toEqual([]);
    expect(await payer.balance()).toBe(980_000n);
  });

  it('refuses a payer without funds with the reason, uncharged', async () => {
    const payer = await newPayer(19_999n);
    const response = await payer.fetch(url);
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ code: 'invalid_exact_evm_insufficient_balance' });
    expect(await payer.balance()).toBe(19_999n);
  });
});
