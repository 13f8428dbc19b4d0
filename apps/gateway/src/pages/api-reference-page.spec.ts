import { brotliCompressSync } from 'node:zlib';
import { loadConfig } from '@app/config';
import type { Operation } from '../routes/operation';
import { gatewayDocument } from '../gateway.document';
import { installationOf } from '../products/installation';
import { apiReference } from './api-reference-page';
import type { PageDeps, PageRequest } from './page-definition';
import { layout } from './page-registry';

const SITE = installationOf(
  loadConfig({
    DATABASE_URL: 'postgres://127.0.0.1/none',
    PUBLIC_BASE_URL: 'https://api.hostprobe.net',
    X402_NETWORK: 'eip155:8453',
    X402_PAY_TO: '0x52908400098527886E0F7030069857D2E4169EE7',
    X402_FACILITATOR_URL: 'http://127.0.0.1:1',
  }),
);
const DOCUMENT = gatewayDocument(SITE);
const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]: [string, Operation]) => ({ path, method, operation })),
);

describe('the API reference', () => {
  let text: string;
  beforeAll(async () => {
    const answer = await apiReference.render(
      { site: SITE, document: DOCUMENT, layout } as unknown as PageDeps,
      {} as PageRequest,
    );
    text = 'body' in answer ? answer.body.toString() : '';
  });

  it('is at most 300 KB, and needs no script of its own', () => {
    expect(Buffer.byteLength(text)).toBeLessThan(300_000);
    expect(brotliCompressSync(text).length).toBeLessThan(60_000);
    expect(text.match(/<script/g)).toHaveLength(1);
  });

  it('begins with the free report, and shows every call with a request of its method', () => {
    const samples = [...text.matchAll(/<pre id="[\w-]+" tabindex="0" aria-label="Request: [^"]*">([^<]*)<\/pre>/g)];
    expect(samples[0]![1]).toBe('curl -i https://api.hostprobe.net/api/v1/hosts/example.com');
    expect(samples).toHaveLength(OPERATIONS.length + 1);
    for (const [, sample] of samples) expect(sample).not.toMatch(/PAYMENT|X-402/i);
    for (const { operation, method } of OPERATIONS) {
      const source = operation['x-codeSamples']?.[0]?.source ?? '';
      expect(source.includes('-X ')).toBe(method !== 'get');
    }
  });

  it('has a target for every link within it', () => {
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
    expect(text.match(/ id="/g)).toHaveLength(ids.size);
  });
});

describe('the OpenAPI document on the page', () => {
  it('states the price of exactly the priced calls in their descriptions', () => {
    const priced = OPERATIONS.filter(({ operation }) => operation['x-payment-info']);
    expect(priced).toHaveLength(9);
    for (const { operation } of OPERATIONS) {
      expect(/Costs [\d.]+ .*USDC/.test(operation.description)).toBe(operation['x-payment-info'] !== undefined);
    }
  });

  it('has no pages, scripts and styles', () => {
    expect(OPERATIONS.map(({ path }) => path)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^\/(docs|pricing|assets|errors|terms|hosts|prober)?$/)]),
    );
    for (const { operation } of OPERATIONS) {
      expect(JSON.stringify(operation.responses)).not.toMatch(/text\/(html|css|javascript)/);
    }
  });

  it('names the payment of a paid call but no key, because directories would ask buyers for the key first', () => {
    const sold = OPERATIONS.filter(({ operation }) => operation['x-payment-info'] !== undefined);
    expect(sold.length).toBeGreaterThan(5);
    for (const { operation } of sold) expect(operation).toMatchObject({ security: [], responses: { 402: {} } });
  });
});
