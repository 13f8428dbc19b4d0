import { randomBytes } from 'node:crypto';
import { EVIDENCE_LIMITS, FREE_EVIDENCE_LIMITS } from '@app/evidence';
import type { Database } from '@app/storage';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { startTestHost, type Route, type TestHost } from '../../../test/support/test-host';

/** A different document at every path, of any kind, over a megabyte each and incompressible. */
const huge: Route = (request, response) => {
  const { url = '' } = request;
  const kind = /json|card|ucp|acp|openapi/.test(url) ? 'application/json' : 'text/plain';
  const text = randomBytes(900_000).toString('base64');
  response.writeHead(200, { 'content-type': kind, 'x-more': randomBytes(3_000).toString('base64') });
  response.end(kind === 'application/json' ? JSON.stringify({ url, text }) : `# ${url}\n\n${text}\n`);
};

describe('a host with only huge documents', () => {
  let service: Service;
  let database: Database;
  let host: TestHost;

  beforeAll(async () => {
    host = await startTestHost({ '*': huge });
    service = await startService({
      connectTo: ['free', 'paid'].map((name) => host.as(`${name}.example.com`)),
    });
    database = service.services.database;
  });
  afterAll(async () => {
    await service.stop();
    await host.close();
  });

  /** The bytes of evidence about a host in the database, as stored. */
  const stored = async (domain: string): Promise<number> => {
    const { rows } = await database.pool.query<{ bytes: number }>(
      `SELECT (coalesce((SELECT sum(length(lines)) FROM evidence WHERE domain = $1), 0)
             + coalesce((SELECT sum(length(bytes)) FROM evidence_body WHERE domain = $1), 0))::int AS bytes`,
      [domain],
    );
    return rows[0]!.bytes;
  };

  it('keeps a quarter of 2 MiB of evidence after a free probe, and no more after a second one', async () => {
    const read = await fetch(`${service.baseUrl}/api/v1/hosts/free.example.com`, { headers: { prefer: 'wait=10' } });
    expect(await read.json()).toMatchObject({ reachable: true });
    const bytes = await stored('free.example.com');
    expect(bytes).toBeLessThanOrEqual(FREE_EVIDENCE_LIMITS.probe);
    expect(bytes).toBeGreaterThan(FREE_EVIDENCE_LIMITS.probe / 2);
    await fetch(`${service.baseUrl}/hosts/free.example.com/probe`, { method: 'POST', redirect: 'manual' });
    expect(await stored('free.example.com')).toBe(bytes);
  });

  it('leaves 2 MiB of evidence after a paid probe', async () => {
    const payer = await newPayer();
    expect((await payer.fetch(`${service.baseUrl}/api/v1/hosts/paid.example.com/refresh`)).status).toBe(200);
    const bytes = await stored('paid.example.com');
    expect(bytes).toBeLessThanOrEqual(EVIDENCE_LIMITS.probe);
    expect(bytes).toBeGreaterThan(FREE_EVIDENCE_LIMITS.probe);
  });
});
