import { setTimeout as sleep } from 'node:timers/promises';
import { holdsConnections } from '../../libs/queue/src/postgres-pool';
import { assertContractsKept } from './contract';
import { watchedFetch } from './watched-fetch';

globalThis.fetch = watchedFetch;

// After the hooks of the file itself, so that everything is closed when it fails.
afterAll(assertContractsKept);

// A queue that closes late would connect in an environment that jest has taken down, which fails the next file.
afterAll(async () => {
  for (let waits = 0; holdsConnections() && waits < 100; waits += 1) await sleep(100);
});
