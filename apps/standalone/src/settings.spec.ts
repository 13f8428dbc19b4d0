import { resolve } from 'node:path';
import { readSettings } from './settings';

const PAY_TO = '0x2A0353E6dE524b206773bB12111353e1CF9a7578';
const REAL_MONEY = { X402_PAY_TO: PAY_TO, X402_FACILITATOR_URL: 'https://facilitator.example.com' };

describe('readSettings', () => {
  it('embeds everything when nothing is set', () => {
    expect(readSettings({})).toMatchObject({
      dataDir: resolve('.data'),
      host: '127.0.0.1',
      port: 3000,
      databaseUrl: null,
      redisUrl: null,
      payTo: null,
      facilitator: { kind: 'embedded' },
      network: { id: 'eip155:8453' },
      demo: true,
    });
  });

  it('treats an empty variable as unset', () => {
    expect(readSettings({ DATABASE_URL: '', DATA_DIR: '', DEMO: '', REDIS_URL: '' })).toMatchObject({
      databaseUrl: null,
      dataDir: resolve('.data'),
      demo: true,
    });
  });

  it('uses the services that the caller names', () => {
    const given = {
      DATABASE_URL: 'postgresql://u@db/x',
      REDIS_URL: 'redis://q',
      ...REAL_MONEY,
      RPC_URL_8453: 'https://rpc',
    };
    expect(readSettings(given)).toMatchObject({
      databaseUrl: 'postgresql://u@db/x',
      redisUrl: 'redis://q',
      payTo: PAY_TO,
      facilitator: { kind: 'remote', url: 'https://facilitator.example.com' },
    });
  });

  it('lets the gateway settle with its own account', () => {
    const own = {
      X402_PAY_TO: PAY_TO,
      X402_FACILITATOR_KEY: `0x${'7c3a91e5d20b846f'.repeat(4)}`,
      RPC_URL_8453: 'https://rpc',
    };
    expect(readSettings(own)).toMatchObject({ payTo: PAY_TO, facilitator: { kind: 'in_gateway' } });
    expect(() => readSettings({ ...own, RPC_URL_8453: '' })).toThrow('X402_FACILITATOR_KEY needs RPC_URL_8453');
    expect(() => readSettings({ ...own, X402_PAY_TO: '' })).toThrow('X402_PAY_TO');
  });

  it('rejects a certificate file that cannot be read, and names its variable', () => {
    expect(() => readSettings({ PROBE_CA_FILE: '/nowhere/ca.pem' })).toThrow('PROBE_CA_FILE must be a readable file');
    expect(readSettings({ PROBE_CA_FILE: __filename }).env['PROBE_CA_FILE']).toBe(__filename);
  });

  it('runs a local chain for the network that it sells on', () => {
    expect(readSettings({ X402_NETWORK: 'eip155:84532' }).network.chainId).toBe(84_532);
  });

  it('leaves out the demo on request, and in production', () => {
    expect(readSettings({ DEMO: 'off' }).demo).toBe(false);
    const production = { NODE_ENV: 'production', PROBER_CONTACT: 'mailto:prober@example.org' };
    expect(readSettings(production).demo).toBe(false);
  });

  it.each([
    [{ DEMO: 'maybe' }, 'DEMO must be on or off'],
    [{ PORT: 'x' }, 'PORT must be a port number'],
    [{ RPC_URL_8453: 'https://rpc.example.com' }, /RPC_URL_8453 .* X402_FACILITATOR_URL or X402_FACILITATOR_KEY/],
    [{ X402_FACILITATOR_URL: 'https://f.example.com' }, 'X402_PAY_TO'],
    [{ DATABASE_URL: 'mysql://u:hunter2@x' }, 'DATABASE_URL must be a postgresql:// URL'],
  ])('refuses %j', (env, sentence) => {
    expect(() => readSettings(env)).toThrow(sentence);
    expect(() => readSettings(env)).not.toThrow('hunter2');
  });
});
