import './app-paths.cjs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalFacilitator, NETWORKS } from '@app/payments';
import { chainClient, startChain } from '../../apps/standalone/src/embedded/embedded-chain';
import { startFacilitator } from '../../apps/standalone/src/embedded/embedded-facilitator';
import { startPostgres } from '../../apps/standalone/src/embedded/embedded-postgres';
import { startQueue } from '../../apps/standalone/src/embedded/embedded-queue';
import { installUsdc } from '../../apps/standalone/src/embedded/usdc-contract';
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { hasBrowser } from './browser';
import { REDIS_DATABASES, type Stack } from './stack';

declare global {
  var stopStack: (() => Promise<void>) | undefined;
}

/** Starts the real parts once for all end-to-end tests: Postgres, Redis, a chain with USDC, a facilitator. */
export default async function globalSetup(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'hostprobe-e2e-'));
  const postgres = await startPostgres({
    dir: join(dir, 'postgres'),
    settings: { fsync: 'off', max_connections: '300' },
  });
  const redis = await startQueue({
    dir: join(dir, 'redis'),
    path: process.env['PATH'] ?? '',
    databases: REDIS_DATABASES,
  });
  const chain = await startChain({ dir: join(dir, 'chain'), chainId: 8453 });
  const client = chainClient(chain.rpcUrl, 8453);
  await installUsdc(client, NETWORKS['eip155:8453'].usdc);
  const facilitatorKey = generatePrivateKey();
  await client.setBalance({ address: privateKeyToAddress(facilitatorKey), value: parseEther('1000') });
  const settling = createLocalFacilitator({
    rpcUrl: chain.rpcUrl,
    chainId: 8453,
    privateKey: facilitatorKey,
    confirmationTimeoutMs: 20_000,
    pollingIntervalMs: 25,
  });
  await settling.getSupported(); // reads its sources now: after this function nothing translates them
  const facilitator = await startFacilitator(settling);
  const stack: Stack = {
    databaseUrl: postgres.url,
    redisUrl: redis?.url ?? null,
    rpcUrl: chain.rpcUrl,
    facilitatorUrl: facilitator.url,
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
    await facilitator.stop();
    await Promise.all([chain.process.stop(), redis?.process.stop(), postgres.process.stop()]);
  };
}
