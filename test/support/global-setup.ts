import './app-paths.cjs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../apps/standalone/src/embedded/embedded-postgres';
import { startQueue } from '../../apps/standalone/src/embedded/embedded-queue';
import { hasBrowser } from './browser';
import { startMoney } from './money';
import startRunFolder from './run-folder';
import { migrateOnce, REDIS_DATABASES, type Stack } from './stack';

declare global {
  var stopStack: (() => Promise<void>) | undefined;
}

/** Starts the real backends once for all end-to-end tests: Postgres, Redis, a chain with USDC, a facilitator. */
export default async function globalSetup(): Promise<void> {
  startRunFolder();
  const dir = mkdtempSync(join(tmpdir(), 'hostprobe-e2e-'));
  const postgres = await startPostgres({
    dir: join(dir, 'postgres'),
    // A time zone other than UTC and that of this process, because results must not depend on it.
    settings: { fsync: 'off', max_connections: '300', timezone: 'Asia/Kolkata' },
  });
  await migrateOnce(postgres.url);
  const redis = await startQueue({
    dir: join(dir, 'redis'),
    path: process.env['PATH'] ?? '',
    databases: REDIS_DATABASES,
  });
  const money = await startMoney(join(dir, 'chain'));
  const stack: Stack = {
    databaseUrl: postgres.url,
    redisUrl: redis?.url ?? null,
    rpcUrl: money.rpcUrl,
    facilitatorUrl: money.facilitatorUrl,
  };
  process.env['HOSTPROBE_E2E'] = JSON.stringify(stack);
  if (redis === null) {
    if (process.env['CI']) throw new Error('redis-server is not installed; in CI its tests must run');
    process.stdout.write('\nredis-server is not installed: the end-to-end tests run on the Postgres queue only\n');
  }
  if (!hasBrowser()) {
    if (process.env['CI']) throw new Error('chromium is not installed; in CI its tests must run');
    process.stdout.write('\nchromium is not installed: the tests in a browser do not run\n');
  }
  globalThis.stopStack = async () => {
    await money.stop();
    await Promise.all([redis?.process.stop(), postgres.process.stop()]);
  };
}
