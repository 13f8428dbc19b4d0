import { setTimeout as sleep } from 'node:timers/promises';
import { holdsConnections } from '../../libs/queue/src/postgres-pool';
import { assertContractsKept } from './contract';
import { watchedFetch } from './watched-fetch';

globalThis.fetch = watchedFetch;

// Registered after the hooks of the file itself, so that everything is closed if it fails.
afterAll(assertContractsKept);

// A queue that closes late would connect after jest's teardown, and the next file would fail.
afterAll(async () => {
  for (let waits = 0; holdsConnections() && waits < 100; waits += 1) await sleep(100);
});
