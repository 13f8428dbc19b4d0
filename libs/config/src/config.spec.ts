import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { CHAINS } from '@app/networks';
import { mnemonicToAccount } from 'viem/accounts';
import { loadConfig, VERSION } from './config';

const MINIMAL = { DATABASE_URL: 'postgresql://u:secret@127.0.0.1:5432/hostprobe' };

describe('loadConfig', () => {
  it('only needs a database: the queue is in Postgres, payments and chain are off', () => {
    expect(loadConfig(MINIMAL)).toMatchObject({
      http: { port: 3000, host: '127.0.0.1', publicBaseUrl: 'http://127.0.0.1:3000' },
      redis: null,
      payments: null,
      rpc: { 'eip155:8453': [], 'eip155:84532': [] },
      freePresenceProbe: true,
    });
  });

  it('allows 6 probes in 15 minutes, 240 requests a minute and 4 at a time per host by default', () => {
    expect(loadConfig(MINIMAL).targets).toEqual({
      probesPer15Min: 6,
      requestsPerMin: 240,
      concurrency: 4,
      optOut: [],
    });
    expect(loadConfig({ ...MINIMAL, OPT_OUT: 'Example.com, shop.bücher.example,' }).targets.optOut).toEqual([
      'example.com',
      'shop.xn--bcher-kva.example',
    ]);
  });

  it('treats an empty variable as unset', () => {
    expect(loadConfig({ ...MINIMAL, REDIS_URL: '', PORT: '' })).toMatchObject({ redis: null, http: { port: 3000 } });
  });

  it.each([
    ['DATABASE_URL', 'mysql://x', 'DATABASE_URL must be a postgresql:// URL'],
    ['PORT', '70000', 'PORT must be a port number from 0 to 65535'],
    ['PORT', 'http', 'PORT must be a port number from 0 to 65535'],
    ['REDIS_URL', 'localhost', 'REDIS_URL must be a redis:// URL'],
    ['X402_NETWORK', 'base', 'X402_NETWORK must be eip155:8453 or eip155:84532'],
    ['X402_PAY_TO', '0x12', 'X402_PAY_TO must be a 0x address of 40 hex digits'],
    ['X402_FACILITATOR_URL', 'ftp://x', 'X402_FACILITATOR_URL must be an http(s) URL'],
    ['RPC_URL_8453', 'https://a.example/,b', 'RPC_URL_8453 must be http(s) URLs, comma-separated, best first'],
    ['TRUSTED_PROXIES', 'proxy.example', 'TRUSTED_PROXIES must be addresses or ranges such as 192.0.2.0/24'],
    ['TRUSTED_PROXIES', '10.0.0.1, abc', 'TRUSTED_PROXIES must be addresses or ranges such as 192.0.2.0/24'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'TRUSTED_PROXIES must be addresses or ranges such as 192.0.2.0/24'],
    ['PROBER_EGRESS', '192.0.2.300/24', 'PROBER_EGRESS must be address ranges such as 192.0.2.0/24, comma-separated'],
    ['PROBE_CONNECT_TO', 'shop.example.com', 'PROBE_CONNECT_TO must be host:port=address:port, comma-separated'],
    ['RATE_LIMIT_CHECKS_PER_MIN', '0', 'RATE_LIMIT_CHECKS_PER_MIN must be a whole number from 1 to 1000000'],
    ['SUBSCRIPTION_PRICE_USD', '5 USDC', 'SUBSCRIPTION_PRICE_USD must be an amount in USDC such as 5 or 4.50'],
    ['EVIDENCE_S3_ENDPOINT', 's3.example.com', 'EVIDENCE_S3_ENDPOINT must be an http(s) URL'],
    ['EVIDENCE_S3_BUCKET', 'a/b', 'EVIDENCE_S3_BUCKET must be a bucket name'],
    ['EVIDENCE_S3_REGION', 'eu west', 'EVIDENCE_S3_REGION must be a region name'],
    ['SUBSCRIPTION_DAYS', '0', 'SUBSCRIPTION_DAYS must be a whole number of days from 1 to 3660'],
    [
      'SUBSCRIPTION_REFRESHES_PER_DAY',
      'all',
      'SUBSCRIPTION_REFRESHES_PER_DAY must be a whole number from 1 to 1000000',
    ],
    ['SUBSCRIPTION_KEY_SECRET', 'short', 'SUBSCRIPTION_KEY_SECRET must be at least 32 random characters'],
    ['FACILITATOR_TRUST', 'maybe', 'FACILITATOR_TRUST must be on or off'],
    ['FREE_PRESENCE_PROBE', 'maybe', 'FREE_PRESENCE_PROBE must be on or off'],
    ['SCHEDULED_PROBES_PER_MIN', '-1', 'SCHEDULED_PROBES_PER_MIN must be a whole number from 0 to 1000'],
    ['RETENTION_DAYS', '0', 'RETENTION_DAYS must be a whole number of days from 1 to 3660'],
    ['TARGET_PROBES_PER_15_MIN', '1', 'TARGET_PROBES_PER_15_MIN must be a whole number from 2 to 10000'],
    ['TARGET_REQUESTS_PER_MIN', '79', 'TARGET_REQUESTS_PER_MIN must be a whole number from 80 to 1000000'],
    ['TARGET_CONCURRENCY', '101', 'TARGET_CONCURRENCY must be a whole number from 1 to 100'],
    ['OPT_OUT', 'example.com, not a name', 'OPT_OUT must be host names, comma-separated'],
    ['PROBER_EGRESS', '192.0.2.1', 'PROBER_EGRESS must be address ranges such as 192.0.2.0/24, comma-separated'],
    ['PROBER_CONTACT', 'me', 'PROBER_CONTACT must be a mailto: or https:// URL'],
    ['OPERATOR_USER', 'a:b', 'OPERATOR_USER must be a name without a colon'],
    ['OPERATOR_PASSWORD', 'short', 'OPERATOR_PASSWORD must be at least 12 characters that are hard to guess'],
    ['OPERATOR_ACTIONS', 'yes', 'OPERATOR_ACTIONS must be on or off'],
    ['METRICS_PORT', 'http', 'METRICS_PORT must be a port number from 0 to 65535'],
    ['SHUTDOWN_DRAIN_SEC', '61', 'SHUTDOWN_DRAIN_SEC must be a whole number of seconds from 0 to 60'],
    ['NODE_ENV', 'live', 'NODE_ENV must be development, production or test'],
  ])('rejects %s=%s', (name, value, sentence) => {
    expect(() => loadConfig({ ...MINIMAL, [name]: value })).toThrow(sentence);
  });

  it('accepts IPv4 and IPv6 addresses, ranges and test hosts', () => {
    const { callers, probing } = loadConfig({
      ...MINIMAL,
      TRUSTED_PROXIES: '10.0.0.1, 2001:db8::/32,::1, 192.0.2.0/24',
      PROBE_CONNECT_TO: 'a.example.com:443=127.0.0.1:8443, b.example.com:80=[::1]:8080,',
    });
    expect(callers.trustedProxies).toEqual(['10.0.0.1', '2001:db8::/32', '::1', '192.0.2.0/24']);
    expect(probing.connectTo).toBe('a.example.com:443=127.0.0.1:8443,b.example.com:80=[::1]:8080');
  });

  it('reads several RPC endpoints of a chain in order, with their case', () => {
    const { rpc } = loadConfig({ ...MINIMAL, RPC_URL_84532: 'https://a.example/Key, https://b.example' });
    expect(rpc['eip155:84532']).toEqual(['https://a.example/Key', 'https://b.example']);
    expect(rpc['eip155:8453']).toEqual([]);
  });

  it('lists all faults at once, without values', () => {
    const wrong = () => loadConfig({ DATABASE_URL: 'mysql://u:hunter2@x', PORT: 'x' });
    expect(wrong).toThrow(/DATABASE_URL.*PORT|PORT.*DATABASE_URL/);
    expect(wrong).not.toThrow(/hunter2/);
  });

  const BUCKET = {
    EVIDENCE_S3_ENDPOINT: 'https://s3.example.com',
    EVIDENCE_S3_BUCKET: 'evidence',
    EVIDENCE_S3_KEY_ID: 'id',
    EVIDENCE_S3_SECRET: 'hunter2',
  };

  it('accepts a complete bucket configuration or none, and never shows its secret', () => {
    fc.assert(
      fc.property(fc.subarray(Object.entries(BUCKET)), (set) => {
        const load = () => loadConfig({ ...MINIMAL, ...Object.fromEntries(set) }).database.evidence;
        if (set.length === 0) expect(load()).toBeNull();
        else if (set.length === 4) {
          const read = { endpoint: 'https://s3.example.com', bucket: 'evidence', keyId: 'id', secret: 'hunter2' };
          expect(load()).toEqual({ ...read, region: 'us-east-1' });
        } else {
          expect(load).toThrow('EVIDENCE_S3_KEY_ID and EVIDENCE_S3_SECRET must be set together');
          expect(load).not.toThrow(/hunter2/);
        }
      }),
    );
  });

  const SECRETS_KEY = 'c49f0e1ab7d24a6f93b5cc0d1e8872aa';
  const PRODUCTION = {
    ...MINIMAL,
    NODE_ENV: 'production',
    SECRETS_KEY,
    PROBER_CONTACT: 'mailto:prober@example.org',
  };

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['without a key for its secrets', { SECRETS_KEY: '' }, 'SECRETS_KEY must be at least 32 random characters'],
    ['without a contact', { PROBER_CONTACT: '' }, 'PROBER_CONTACT is required'],
    ['with test hosts', { PROBE_CONNECT_TO: 'a.example.com:443=127.0.0.1:1' }, 'PROBE_CONNECT_TO'],
    ['with its own CA', { PROBE_CA_FILE: '/etc/ca.pem' }, 'PROBE_CA_FILE is for test hosts'],
    ['without a host name, reachable from outside', { HOST: '0.0.0.0' }, 'PUBLIC_BASE_URL is required'],
    [
      'under an invalid name',
      { PUBLIC_BASE_URL: 'http://0.0.0.0:3000' },
      'PUBLIC_BASE_URL must be the URL that callers use',
    ],
    [
      'with a bearer token over plain http',
      {
        X402_PAY_TO: '0x5d41402abc4b2a76b9719d911017c592ae29f1b3',
        X402_FACILITATOR_URL: 'http://facilitator.example.com',
        X402_FACILITATOR_AUTH: 'Bearer abc',
      },
      'X402_FACILITATOR_URL must be https',
    ],
    ...[
      `0x${'0'.repeat(40)}`,
      '0x0000000000000000000000000000000000000001',
      '0x000000000000000000000000000000000000dEaD',
      `0x${'1'.repeat(40)}`,
      '0x1234567890123456789012345678901234567890',
      `0x${'abcdef'.repeat(6)}abcd`,
      ...Object.values(CHAINS).map(({ usdc }) => usdc.address),
      mnemonicToAccount(`${'test '.repeat(11)}junk`, { addressIndex: 19 }).address,
    ].map((payTo): [string, Readonly<Record<string, string>>, string] => [
      `that pays ${payTo}`,
      { X402_PAY_TO: payTo, X402_FACILITATOR_URL: 'https://facilitator.example.com' },
      'X402_PAY_TO is an example address',
    ]),
    ...[
      'SECRETS_KEY',
      'SECRETS_KEY_FORMER',
      'SUBSCRIPTION_KEY_SECRET',
      'OPERATOR_PASSWORD',
      'PROBE_SIGNING_KEY',
      'X402_FACILITATOR_AUTH',
      'CDP_API_KEY_SECRET',
    ].flatMap((name) =>
      ['change-me-'.repeat(4), 'Please CHANGEME, at least 32 of them', 'ab'.repeat(20)].map(
        (value): [string, Readonly<Record<string, string>>, string] => [
          `with ${name}=${value}`,
          { [name]: value },
          `${name} still has an example value`,
        ],
      ),
    ),
    ['with a new key that equals the former one', { SECRETS_KEY_FORMER: SECRETS_KEY }, 'SECRETS_KEY is also in'],
    ['with an example password', { DATABASE_URL: 'postgresql://u:change-me@db/x' }, 'DATABASE_URL still has'],
  ])('refuses production %s, without quoting the value', (_, env, sentence) => {
    expect(() => loadConfig(PRODUCTION)).not.toThrow();
    expect(() => loadConfig({ ...PRODUCTION, ...env })).toThrow(sentence);
    expect(() => loadConfig({ ...MINIMAL, ...env })).not.toThrow(sentence);
    for (const value of Object.values(env)) if (value !== '') expect(() => loadConfig(env)).not.toThrow(value);
  });
});

describe('payments', () => {
  const KEY = `0x${'7c3a91e5d20b846f'.repeat(4)}`;
  const PAY_TO = '0x1111111111111111111111111111111111111111';
  const RPC = 'https://rpc.example.com';
  const REMOTE = { ...MINIMAL, X402_PAY_TO: PAY_TO, X402_FACILITATOR_URL: 'https://facilitator.example.com' };
  const OWN = { ...MINIMAL, X402_PAY_TO: PAY_TO, X402_FACILITATOR_KEY: KEY, RPC_URL_8453: RPC };

  it('settles through a remote facilitator, without authorization by default', () => {
    const auth = (env: object) => loadConfig({ ...REMOTE, ...env }).payments?.facilitator;
    const url = REMOTE.X402_FACILITATOR_URL;
    expect(auth({})).toEqual({ kind: 'remote', url, auth: { kind: 'none' } });
    expect(auth({ X402_FACILITATOR_AUTH: 'Bearer abc' })).toMatchObject({
      auth: { kind: 'header', authorization: 'Bearer abc' },
    });
    expect(auth({ CDP_API_KEY_ID: 'id', CDP_API_KEY_SECRET: 'secret' })).toMatchObject({
      auth: { kind: 'cdp', keyId: 'id', secret: 'secret' },
    });
  });

  it('settles in this process with a key and an RPC node', () => {
    expect(loadConfig(OWN).payments).toMatchObject({
      facilitator: { kind: 'in_process', privateKey: KEY },
      offerSigningKey: null,
    });
  });

  it.each([
    ['a local and a remote facilitator', { ...OWN, X402_FACILITATOR_URL: 'https://f.example.com' }, 'not both'],
    ['a local facilitator without a node', { ...OWN, RPC_URL_8453: '' }, 'X402_FACILITATOR_KEY needs RPC_URL_8453'],
    ['a facilitator without a receiver', { ...OWN, X402_PAY_TO: '' }, 'X402_PAY_TO must be a 0x address'],
    ['half a platform key', { ...REMOTE, CDP_API_KEY_ID: 'id' }, 'must be set together'],
    [
      'two ways to authorise',
      { ...REMOTE, CDP_API_KEY_ID: 'id', CDP_API_KEY_SECRET: 's', X402_FACILITATOR_AUTH: 'x' },
      'set X402_FACILITATOR_AUTH or CDP_API_KEY_ID, not both',
    ],
    ['a credential without a facilitator URL', { ...OWN, X402_FACILITATOR_AUTH: 'Bearer abc' }, 'which is not set'],
    ['an invalid key', { ...OWN, X402_FACILITATOR_KEY: '0x12' }, 'X402_FACILITATOR_KEY must be a private key'],
    ['an invalid signing key', { ...REMOTE, OFFER_SIGNING_KEY: 'abc' }, 'OFFER_SIGNING_KEY must be a private key'],
  ])('refuses %s', (_, env, sentence) => {
    expect(() => loadConfig(env)).toThrow(sentence);
  });

  it('refuses the well-known development accounts, except outside production with a local chain', () => {
    const mnemonic = `${'test '.repeat(11)}junk`;
    const drawn = Array.from({ length: 20 }, (_, addressIndex) =>
      mnemonicToAccount(mnemonic, { addressIndex }).getHdKey(),
    );
    const keys = [
      ...drawn.map(({ privateKey }) => `0x${Buffer.from(privateKey!).toString('hex')}`),
      ...[`${'0'.repeat(63)}1`, 'deadbeef'.repeat(8), '0123456789abcdef'.repeat(4)].map((hex) => `0x${hex}`),
    ];
    for (const key of keys) {
      const start = (rpc: string) => loadConfig({ ...OWN, X402_FACILITATOR_KEY: key, RPC_URL_8453: rpc });
      expect(() => start(RPC)).toThrow('X402_FACILITATOR_KEY is a public development key');
      expect(() => start(RPC)).not.toThrow(key);
      expect(start('http://127.0.0.1:8545').payments).not.toBeNull();
      const production = {
        NODE_ENV: 'production',
        PROBER_CONTACT: 'mailto:a@example.org',
        X402_FACILITATOR_KEY: key,
        RPC_URL_8453: 'http://127.0.0.1:8545',
      };
      expect(() => loadConfig({ ...OWN, ...production })).toThrow('X402_FACILITATOR_KEY is a public development key');
    }
  });
});

describe('VERSION', () => {
  it('is the version of package.json', () => {
    expect(JSON.parse(readFileSync('package.json', 'utf8'))).toMatchObject({ version: VERSION });
  });
});
