import { faremeter } from './clients/faremeter.mjs';
import { firstVersion } from './clients/first-version.mjs';
import { mppx } from './clients/mppx.mjs';
import { officialOnEvm } from './clients/official-on-evm.mjs';
import { officialOnSolana } from './clients/official-on-solana.mjs';

/**
 * The released clients that are tested: `{ name, version, pay }`. `pay(transport, challenge)` calls the priced route through
 * `transport` like a buyer's program. To add a client, add a file and a line here.
 */
export const CLIENTS = [
  officialOnEvm('2.5'),
  officialOnEvm('2.11'),
  officialOnEvm('2.20'),
  officialOnEvm('2.27'),
  officialOnSolana('2.5'),
  officialOnSolana('2.11'),
  officialOnSolana('2.20'),
  officialOnSolana('2.27'),
  faremeter('0.22'),
  mppx('0.11'),
  firstVersion('1.2'),
];
