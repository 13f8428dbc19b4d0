import { namespaceOf } from '@app/networks';
import type { X402Accept } from '../x402-accept';
import type { X402Challenge } from '../x402-challenge';
import { isGatewayOption } from '../x402-gateway';
import { stopOf, type Client, type ClientAnswer } from './client';
import { FAREMETER } from './faremeter';
import { FIRST_VERSION } from './first-version';
import { MPPX_X402 } from './mppx';
import { OFFICIAL_ON_EVM } from './official-on-evm';
import { OFFICIAL_ON_SOLANA } from './official-on-solana';

const CLIENTS: readonly Client[] = [...OFFICIAL_ON_EVM, ...OFFICIAL_ON_SOLANA, FAREMETER, MPPX_X402, FIRST_VERSION];

/** The names of clients in reports. */
export const CLIENT_NAMES: readonly string[] = [...new Set(CLIENTS.map(({ name }) => name))];

/** Schemes that at least one of them supports, by namespace. */
const SPOKEN: Readonly<Record<string, readonly string[]>> = {
  eip155: ['exact', 'upto', 'batch-settlement', 'auth-capture'],
  solana: ['exact', 'upto'],
};

/**
 * Which released clients can pay an option of a challenge (behaviour 6.8). The list is empty for a network or scheme
 * that none of them supports, and for Circle Gateway, which has its own client.
 */
export function x402Clients(
  challenge: X402Challenge,
  accept: X402Accept,
  networkId: string | null,
): readonly ClientAnswer[] {
  const namespace = namespaceOf(networkId ?? '');
  const isSpoken = SPOKEN[namespace]?.includes(accept.scheme ?? '') === true;
  if (!isSpoken || isGatewayOption(accept)) return [];
  return mergeClients(
    CLIENTS.filter(({ namespaces }) => namespaces.includes(namespace)).map((client) => {
      const reason = stopOf(client, challenge, accept);
      const release = { name: client.name, versions: [client.version] };
      return [reason === undefined ? { ...release, pays: true } : { ...release, pays: false, reason }];
    }),
  );
}

/**
 * Combines the results for several offers of one way to pay: a release can pay if it can pay one of them. Equal results
 * are merged.
 */
export function mergeClients(answers: readonly (readonly ClientAnswer[])[]): readonly ClientAnswer[] {
  const releases = new Map<string, ClientAnswer>();
  for (const { versions, ...answer } of answers.flat()) {
    for (const version of versions) {
      const known = releases.get(`${answer.name} ${version}`);
      if (!known || (answer.pays && !known.pays)) {
        releases.set(`${answer.name} ${version}`, { ...answer, versions: [version] });
      }
    }
  }
  const rows = new Map<string, ClientAnswer>();
  for (const { versions, ...answer } of releases.values()) {
    const key = `${answer.name} ${answer.reason ?? ''}`;
    rows.set(key, { ...answer, versions: [...(rows.get(key)?.versions ?? []), ...versions] });
  }
  return [...rows.values()].map(({ name, versions, ...answer }) => ({ name, versions, ...answer }));
}
