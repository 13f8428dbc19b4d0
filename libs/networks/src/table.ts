import { MAIN_NETWORKS } from './main-networks';
import { TEST_NETWORKS } from './test-networks';

/**
 * The networks of payment challenges, by CAIP-2 id, with their dollar tokens. All code about networks reads this table.
 * To add a network, add a row to one of its two halves and, if its chain is read, its variable in `libs/config`.
 *
 * Chain ids are from https://chainlist.org, other ids from https://github.com/x402-foundation/x402, V1 names from that
 * project's legacy map, and tokens from the issuers' address lists and the default assets of the x402 SDK. Decimals
 * come only from this table: prices never use the decimals stated in a challenge.
 */
export const TABLE = { ...MAIN_NETWORKS, ...TEST_NETWORKS } as const;
