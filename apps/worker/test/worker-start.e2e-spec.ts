import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { freshDatabase } from '../../../test/support/stack';

/** Runs a built entry file to its end. */
async function run(entry: string, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [resolve('dist', entry)], {
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
      SECRETS_KEY: '7f3de0a1b8c95d2266aa9d0c4e1f5b38',
      PROBER_CONTACT: 'mailto:prober@example.org',
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
