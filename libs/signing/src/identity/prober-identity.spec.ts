import { createHash, createPublicKey, type JsonWebKey } from 'node:crypto';
import { createVerifier, httpbis, type VerifyConfig } from 'http-message-signatures';
import { DIRECTORY_PATH, ProberIdentity, type SharedSecrets } from './prober-identity';
import { newSigningKey } from './signing-key';

const BASE = 'https://probe.example.org';
const unused: SharedSecrets = { obtain: () => Promise.reject(new Error('not to be asked')) };

/** Configures an independent verifier from the published directory only. */
function verifierOf(directory: string): VerifyConfig {
  const { keys } = JSON.parse(directory) as { keys: (JsonWebKey & { kid: string })[] };
  return {
    requiredParams: ['created', 'expires', 'keyid', 'tag'],
    keyLookup: ({ keyid }) => {
      const jwk = keys.find(({ kid }) => kid === keyid);
      if (!jwk) return Promise.resolve(null);
      const key = createPublicKey({ key: jwk, format: 'jwk' });
      return Promise.resolve({ id: jwk.kid, algs: ['ed25519'], verify: createVerifier(key, 'ed25519') });
    },
  };
}

const signed = (identity: ProberIdentity, url: string) => ({
  method: 'GET',
  url,
  headers: { ...identity.signRequest({ method: 'GET', url, headers: {} }) },
});

describe('the identity of the prober', () => {
  let identity: ProberIdentity;
  beforeAll(async () => {
    identity = await ProberIdentity.open({ configured: newSigningKey(), secrets: unused, baseUrl: BASE });
  });

  it('can be verified by another library with only the directory', async () => {
    const { body } = identity.directory();
    const request = signed(identity, 'https://shop.example.com/.well-known/ucp');
    const fields = { ...verifierOf(body), requiredFields: ['@authority', 'signature-agent'] };
    expect(await httpbis.verifyMessage(fields, request)).toBe(true);
    expect(request.headers['signature-input']).toContain('tag="web-bot-auth"');
    expect(request.headers['signature-agent']).toBe(`"${BASE}"`);
  });

  it('is not valid for a request to another host', async () => {
    const { body } = identity.directory();
    const request = signed(identity, 'https://shop.example.com/');
    const elsewhere = { ...request, url: 'https://other.example.net/' };
    expect(await httpbis.verifyMessage(verifierOf(body), elsewhere)).toBe(false);
  });

  it('is not valid for another agent', async () => {
    const { body } = identity.directory();
    const request = signed(identity, 'https://shop.example.com/');
    request.headers['signature-agent'] = '"https://impostor.example"';
    expect(await httpbis.verifyMessage(verifierOf(body), request)).toBe(false);
  });

  it('is new for every request and valid for a minute', () => {
    const inputs = [1, 2].map(() => signed(identity, 'https://shop.example.com/').headers['signature-input']);
    expect(inputs[0]).not.toBe(inputs[1]);
    const [, created, expires] = /created=(\d+).*expires=(\d+)/.exec(inputs[0]!)!;
    expect(Number(expires) - Number(created)).toBe(60);
  });

  it('uses the shared key if none is configured', async () => {
    const stored = newSigningKey();
    const config = { configured: null, secrets: { obtain: () => Promise.resolve(stored) }, baseUrl: BASE };
    const [one, other] = await Promise.all([ProberIdentity.open(config), ProberIdentity.open(config)]);
    expect(one.keyId).toBe(other.keyId);
    const made = await ProberIdentity.open({
      ...config,
      secrets: { obtain: (_purpose, generate) => Promise.resolve(generate()) },
    });
    expect(made.keyId).not.toBe(one.keyId);
  });

  it('publishes only the public key, with its thumbprint', () => {
    const { body, headers } = identity.directory();
    const { keys } = JSON.parse(body) as { keys: Record<string, unknown>[] };
    expect(keys).toEqual([
      {
        kty: 'OKP',
        crv: 'Ed25519',
        x: expect.stringMatching(/^[\w-]{43}$/),
        kid: identity.keyId,
        use: 'sig',
        alg: 'ed25519',
      },
    ]);
    expect(headers['content-type']).toBe('application/http-message-signatures-directory+json');
  });

  it('signs the directory with its own key, bound to the host name of the service', async () => {
    const { body, headers } = identity.directory();
    const request = { method: 'GET', url: `${BASE}${DIRECTORY_PATH}`, headers: {} };
    const response = { status: 200, headers: { ...headers } };
    expect(headers['signature-input']).toContain('tag="http-message-signatures-directory"');
    expect(await httpbis.verifyMessage(verifierOf(body), response, request)).toBe(true);
    const mirrored = { ...request, url: `https://mirror.example.net${DIRECTORY_PATH}` };
    expect(await httpbis.verifyMessage(verifierOf(body), response, mirrored)).toBe(false);
    expect(headers['signature-input']).toContain('("@authority";req "content-digest")');
    const digest = createHash('sha256').update(body).digest('base64');
    expect(headers['content-digest']).toBe(`sha-256=:${digest}:`);
  });
});
