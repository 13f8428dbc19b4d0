import type { ProtocolCell } from '@app/detectors';
import type { HostReport } from '@app/reports';
import { PRODUCTS } from '../src/products/registry';
import { forwardsTo } from '../../../test/support/front';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { startTestHost, type TestHost } from '../../../test/support/test-host';

/** The protocols that this service declares; it does not offer the others of the report. */
const CLAIMED = ['tap', 'mcp', 'x402', 'llms', 'openapi'];

describe('the service, probed by itself', () => {
  let front: TestHost;
  let service: Service;
  let local: string;
  let report: HostReport;

  beforeAll(async () => {
    front = await startTestHost({ '*': forwardsTo(() => service.config.http.port) });
    service = await startService({
      connectTo: [front.as('probe.example.com')],
      env: { PUBLIC_BASE_URL: 'https://probe.example.com', PROBER_CONTACT: 'mailto:security@example.com' },
    });
    local = `http://127.0.0.1:${service.config.http.port}`;
    await service.admitted();
    const payer = await newPayer();
    const response = await payer.fetch(`${local}/api/v1/hosts/probe.example.com/refresh`);
    report = (await response.json()) as HostReport;
  });
  afterAll(async () => {
    await service.stop();
    await front.close();
  });

  it.each(CLAIMED)('publishes %s as it recommends', (id) => {
    expect(report.protocols.find((cell): cell is ProtocolCell => cell.id === id)).toMatchObject({ status: 'present' });
    expect(report.fixes.filter(({ protocol }) => protocol === id)).toEqual([]);
    const cell = report.protocols.find((one) => one.id === id);
    expect(cell?.details['findings'] ?? []).toEqual([]);
  });

  it('has a key directory signed by its own key for this name', () => {
    const cell = report.protocols.find(({ id }) => id === 'tap');
    expect(cell?.details).toMatchObject({ responseSigned: 'verified', kidThumbprintOk: true, mediaTypeOk: true });
    expect(cell?.details).not.toHaveProperty('findings');
  });

  it.each(['ard', 'api-catalog'])('has a valid %s', (id) => {
    expect(report.signals?.find((signal) => signal.id === id)).toMatchObject({ status: 'valid' });
  });

  it('can be paid', () => {
    expect(report.paymentRails.payable).toBe(true);
    expect(new Set(report.paymentRails.rails.map(({ payTo }) => payTo))).toEqual(new Set([service.payTo]));
  });

  it('requests payment at every URL in its x402 manifest', async () => {
    const { items } = (await (await fetch(`${local}/.well-known/x402`)).json()) as {
      readonly items: readonly { resource: string; method: string; priceUsd: number; body?: object }[];
    };
    expect(items).toHaveLength(PRODUCTS.length);
    for (const { resource, method, priceUsd, body } of items) {
      const response = await fetch(resource.replace('https://probe.example.com', local), {
        method,
        ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
      });
      expect(response.status).toBe(402);
      expect(await response.json()).toMatchObject({ priceUsd, resource: { url: resource } });
    }
  });

  it.each([
    ['/', 'text/html'],
    ['/pricing', 'text/html'],
    ['/errors', 'text/html'],
    ['/errors/invalid_domain', 'text/html'],
    ['/docs', 'text/html'],
    ['/hosts/probe.example.com', 'text/html'],
    ['/hosts/probe.example.com/changes.atom', 'application/atom+xml'],
    ['/hosts/probe.example.com/changes.json', 'application/feed+json'],
    ['/badge/probe.example.com.svg', 'image/svg+xml'],
    ['/openapi.json', 'application/json'],
    ['/.well-known/openapi.json', 'application/json'],
    ['/.well-known/x402', 'application/json'],
    ['/.well-known/mcp.json', 'application/json'],
    ['/.well-known/mcp/server-card.json', 'application/json'],
    ['/.well-known/api-catalog', 'application/linkset+json'],
    ['/.well-known/ard.json', 'application/json'],
    ['/llms.txt', 'text/plain'],
    ['/robots.txt', 'text/plain'],
    ['/.well-known/security.txt', 'text/plain'],
  ])('serves %s as %s to any origin, and 304 to a client that has it', async (path, type) => {
    const first = await fetch(`${local}${path}`, { headers: { origin: 'https://agent.example.com' } });
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toMatch(new RegExp(`^${type.replace('+', '\\+')}`));
    expect(first.headers.get('access-control-allow-origin')).toBe('*');
    const again = await fetch(`${local}${path}`, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
  });

  it('links to its documents from the home page', async () => {
    const link = (await fetch(local)).headers.get('link');
    for (const relation of ['service-desc', 'api-catalog', 'describedby']) expect(link).toContain(`rel="${relation}"`);
  });

  it('names a contact for vulnerabilities that does not expire within three months', async () => {
    const text = await (await fetch(`${local}/.well-known/security.txt`)).text();
    expect(text).toContain('Contact: mailto:security@example.com');
    const expires = Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '');
    expect(expires - Date.now()).toBeGreaterThan(90 * 86_400_000);
  });
});
