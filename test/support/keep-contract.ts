import { assertContractsKept } from './contract';
import { watchedFetch } from './watched-fetch';

globalThis.fetch = watchedFetch;

// After the hooks of the file itself, so that everything is closed when it fails.
afterAll(assertContractsKept);
