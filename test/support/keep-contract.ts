import { assertContractsKept } from './contract';

// After the hooks of the file itself, so that everything is closed when it fails.
afterAll(assertContractsKept);
