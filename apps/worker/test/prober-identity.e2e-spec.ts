import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { VERSION } from '@app/config';
import { createVerifier, httpbis, type VerifyConfig } from 'http-message-signatures';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

describe('the identity of the prober', () => {
  let service: Service;
  let shop: TestHost;

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n', { 'content-type': 'text/plain' }) });
    service = await startService({
      connectTo: [shop.as('shop.example.com')],
      env: { PROBER_EGRESS: '192.0.2.0/24, 2001:db8::/48', PROBER_CONTACT: 'mailto:prober@example.org' },
    });
    const payer = await newPayer();
    const bought = await payer.fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com/refresh`);
    expect(bought.status).toBe(200);
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  /** An independent verifier that knows only the URL of the directory. */
  async function verifier(): Promise<VerifyConfig> {
    const response = await fetch(`${service.baseUrl}/.well-known/http-message-signatures-directory`);
    const { keys } = (await response.json()) as { keys: (JsonWebKey & { kid: string })[] };
    return {
      requiredParams: ['created', 'expires', 'keyid', 'nonce', 'tag'],
      requiredFields: ['@authority', 'signature-agent'],
      keyLookup: ({ keyid }) => {
        const jwk = keys.find(({ kid }) => kid === keyid);
        if (!jwk) return Promise.resolve(null);
        const verify = createVerifier(createPublicKey({ key: jwk, format: 'jwk' }), 'ed25519');
        return Promise.resolve({ id: jwk.kid, algs: ['ed25519'], verify });
      },
    };
  }

  it('is verifiable in every request with the directory of the gateway', async () => {
    const config = await verifier();
    const verified = await Promise.all(
      shop.received.map(({ method = '', url = '', headers }) =>
        httpbis.verifyMessage(config, {
          method,
          url: `https://shop.example.com${url}`,
          headers: headers as Record<string, string>,
        }),
      ),
    );
    expect(verified.length).toBeGreaterThan(10);
    expect(new Set(verified)).toEqual(new Set([true]));
    expect(shop.received[0]?.headers['signature-agent']).toBe(`"${service.baseUrl}"`);
  });

  it('is verifiable in the directory itself, with its own media type', async () => {
    const url = `${service.baseUrl}/.well-known/http-message-signatures-directory`;
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/http-message-signatures-directory+json');
    const { keyLookup } = await verifier();
    const message = { status: response.status, headers: Object.fromEntries(response.headers) };
    expect(await httpbis.verifyMessage({ keyLookup }, message, { method: 'GET', url, headers: {} })).toBe(true);
  });

  it('is one user agent with a link to a page, without cookies, credentials or payments', async () => {
    const agents = new Set(shop.received.map(({ headers }) => headers['user-agent']));
    expect(agents).toEqual(new Set([`hostprobe/${VERSION} (+${service.baseUrl}/prober)`]));
    const names = new Set(shop.received.flatMap(({ headers }) => Object.keys(headers)));
    for (const name of ['cookie', 'authorization', 'referer', 'origin', 'payment-signature', 'x-payment']) {
      expect(names).not.toContain(name);
    }
    const page = await fetch(`${service.baseUrl}/prober`);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; /);
    expect(await page.text()).toContain('GET /.well-known/ucp');
    const egress = await fetch(`${service.baseUrl}/prober/egress.json`);
    expect(await egress.json()).toEqual({ prefixes: ['192.0.2.0/24', '2001:db8::/48'] });
  });
});
