import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { Database } from '@app/storage';
import type { HostReport } from '@app/reports';
import { balanceOf, newPayer, signPayment } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';

const MAP = '# Shop\n\n- [a](https://shop.example.com/a)\n';

describe.each(backends())('a live probe, sold, with the queue on %s', (backend) => {
  let service: Service;
  let shop: TestHost;
  let url: string;

  beforeAll(async () => {
    shop = await startTestHost({
      '/': (_request, response) =>
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title>'),
      '/llms.txt': (_request, response) => response.setHeader('content-type', 'text/plain').end(MAP),
    });
    service = await startService({ backend, connectTo: [shop.as('shop.example.com')], caFile: await testCaFile() });
    url = `${service.baseUrl}/api/v1/hosts/shop.example.com/refresh`;
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  it('answers 402 with the same terms in header and body', async () => {
    const response = await fetch(url);
    expect(response.status).toBe(402);
    const body = await response.json();
    const { x402Version, resource, accepts } = decodePaymentRequiredHeader(response.headers.get('payment-required')!);
    expect(body).toMatchObject({
      sku: 'host_refresh',
      priceUsd: 0.02,
      payTo: service.payTo,
      x402Version,
      resource,
      accepts,
    });
    expect(resource.url).toBe(url);
    expect(accepts).toMatchObject([{ amount: '20000', network: 'eip155:8453', payTo: service.payTo }]);
    expect(response.headers.get('cache-control')).toBe('no-store');
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

  it('notes who bought a probe as a reader of the host', async () => {
    const { pool } = service.gateway.get(Database);
    const read = async (): Promise<boolean> =>
      (await pool.query<{ today: boolean }>(`SELECT last_read_at > now() - interval '1 day' AS today FROM host`))
        .rows[0]!.today;
    await pool.query(`UPDATE host SET last_read_at = now() - interval '40 days'`);
    expect(await read()).toBe(false);
    expect((await (await newPayer()).fetch(url)).status).toBe(200);
    expect(await read()).toBe(true);
  });

  it('serves the bought report to everybody, free, with an entity tag that answers 304', async () => {
    const free = `${service.baseUrl}/api/v1/hosts/shop.example.com`;
    const first = await fetch(free);
    expect(await first.json()).toMatchObject({ domain: 'shop.example.com', reachable: true });
    const again = await fetch(free, { headers: { 'if-none-match': first.headers.get('etag')! } });
    expect(again.status).toBe(304);
  });

  it('takes refresh=1 on the report for a refresh', async () => {
    const payer = await newPayer();
    const asked = await fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com?refresh=1`);
    expect(asked.status).toBe(402);
    const paid = await payer.fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com?refresh=1`);
    expect(paid.status).toBe(200);
    expect(await payer.balance()).toBe(980_000n);
  });

  it('charges the same payment once, however often it is sent, and gives the same answer', async () => {
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

  it('says of a payment header that it is too long, and of more headers than anybody needs', async () => {
    const long = await fetch(url, { headers: { 'payment-signature': 'A'.repeat(16_385) } });
    expect(long.status).toBe(402);
    expect(await long.json()).toMatchObject({ code: 'payment_header_too_large' });
    const endless = await fetch(url, { headers: { 'payment-signature': 'A'.repeat(33_000) } });
    expect(endless.status).toBe(431);
  });

  it('refuses a payment that was used for another request with 409', async () => {
    const payer = await newPayer();
    const payment = await signPayment(payer, await fetch(url));
    expect((await fetch(url, { headers: { 'payment-signature': payment } })).status).toBe(200);
    const stripped = JSON.parse(Buffer.from(payment, 'base64').toString('utf8'));
    delete stripped.resource;
    const reused = Buffer.from(JSON.stringify(stripped)).toString('base64');
    const other = url.replace('shop.example.com', 'other.example.com');
    expect((await fetch(other, { headers: { 'payment-signature': reused } })).status).toBe(409);
    expect(await payer.balance()).toBe(980_000n);
  });

  it.each([
    ['an unknown protocol', '/api/v1/hosts/shop.example.com/protocols/gopher/refresh', 'unknown_protocol'],
    ['an address instead of a name', '/api/v1/hosts/127.0.0.1/refresh', 'invalid_domain'],
    ['a private name', '/api/v1/hosts/db.internal/refresh', 'invalid_domain'],
  ])('refuses %s before asking for money', async (_, path, code) => {
    const response = await fetch(`${service.baseUrl}${path}`);
    expect(response.status).toBe(400);
    expect(response.headers.get('payment-required')).toBeNull();
    expect(await response.json()).toMatchObject({ code });
  });

  it('charges a finished probe of a dead host, and says it is not reachable', async () => {
    const payer = await newPayer();
    const dead = await payer.fetch(`${service.baseUrl}/api/v1/hosts/nothing-here.example.com/refresh`);
    expect(dead.status).toBe(200);
    const report = (await dead.json()) as HostReport;
    expect(report.reachable).toBe(false);
    expect(report.fixes).toEqual([]);
    expect(await payer.balance()).toBe(980_000n);
  });

  it('refuses a poor payer with the reason and takes nothing', async () => {
    const payer = await newPayer(19_999n);
    const response = await payer.fetch(url);
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ code: 'invalid_exact_evm_insufficient_balance' });
    expect(await payer.balance()).toBe(19_999n);
  });
});
