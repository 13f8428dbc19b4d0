import { MAIN_NETWORKS } from './main-networks';
import { TEST_NETWORKS } from './test-networks';

/**
 * The networks that payment challenges name, by CAIP-2 id, with their dollar tokens. Everything that knows networks reads
 * this table: adding one is a row in one of its two halves and, where its chain is read, its variable in `libs/config`.
 *
 * Chain ids as registered at https://chainlist.org, other ids as in https://github.com/x402-foundation/x402, V1 names as in
 * that project's legacy map. Tokens from the issuers' address lists and the default assets of the x402 SDK. This is the
 * only source of decimals: what a challenge says about its own decimals is never used for a price.
 */
export const TABLE = { ...MAIN_NETWORKS, ...TEST_NETWORKS } as const;
