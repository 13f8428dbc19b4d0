import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { freshDatabase } from '../../../test/support/stack';

/** Runs a built entry file to its end. */
async function run(entry: string, env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const child = spawn(process.execPath, [resolve('dist', entry), ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out, err, code: code as number };
}

const WORKER = 'apps/worker/src/main.js';

describe('a worker process', () => {
  it('does not start in production when test hosts are listed, and names the variable', async () => {
    const { code, err } = await run(WORKER, {
      NODE_ENV: 'production',
      DATABASE_URL: await freshDatabase(),
      PROBE_CONNECT_TO: 'shop.example.com:443=127.0.0.1:8443',
    });
    expect(code).toBe(1);
    expect(err).toMatch(/^The configuration is wrong: PROBE_CONNECT_TO .*\n$/);
  });

  it('does not start with a signing key it cannot read, and does not print it', async () => {
    const { code, err } = await run(WORKER, { DATABASE_URL: await freshDatabase(), PROBE_SIGNING_KEY: 'swordfish' });
    expect(code).toBe(1);
    expect(err).toContain('PROBE_SIGNING_KEY must be an Ed25519 private key');
    expect(err).not.toContain('swordfish');
  });
});

describe('the opt-out command', () => {
  const COMMAND = 'apps/cli/src/opt-out/main.js';

  it('adds, lists and removes a host under its plain name', async () => {
    const env = { DATABASE_URL: await freshDatabase() };
    expect(await run(COMMAND, env, ['add', 'https://www.Example.com/'])).toMatchObject({ code: 0 });
    expect(await run(COMMAND, env, ['list'])).toEqual({ code: 0, out: 'example.com\n', err: '' });
    expect(await run(COMMAND, env, ['remove', 'example.com'])).toMatchObject({
      out: 'example.com may be probed again\n',
    });
    expect(await run(COMMAND, env, ['list'])).toEqual({ code: 0, out: '', err: '' });
  });

  it.each([
    [['add', '10.0.0.1'], 'domain must be a name, not an IP address\n'],
    [['add'], 'usage: npm run opt-out -- add <domain> | remove <domain> | list\n'],
    [[], 'usage: npm run opt-out -- add <domain> | remove <domain> | list\n'],
  ])('refuses %j in a sentence', async (args, err) => {
    expect(await run(COMMAND, { DATABASE_URL: await freshDatabase() }, args)).toEqual({ code: 1, out: '', err });
  });
});
