import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client';
import { wrapAxiosWithPayment, x402Client as AxiosClient } from '@x402/axios';
import type * as latest from '@x402/fetch';
import axios from 'axios';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Fetch, Guard } from '../src/guard.js';

const account = privateKeyToAccount(generatePrivateKey());

/** A wallet that counts its signatures. */
export function countingWallet() {
  const wallet = {
    address: account.address,
    signed: [] as unknown[],
    signTypedData: (data: Parameters<typeof account.signTypedData>[0]) => {
      wallet.signed.push(data);
      return account.signTypedData(data);
    },
  };
  return wallet;
}

type Wallet = ReturnType<typeof countingWallet>;

/** A later hook of the same client, which may change the payment after the guard allowed it. */
export type Tamper = (selected: Record<string, unknown>) => void;

export interface Buyer {
  readonly name: string;
  readonly version: 1 | 2;
  /** Pays once for a URL; resolves to the status. */
  readonly pay: (guard: Guard, wallet: Wallet, url: string, tamper?: Tamper) => Promise<number>;
}

type Client = InstanceType<typeof latest.x402Client>;

/** A client set up as its documentation shows, with the guard integrated. */
function armed<C>(client: C, guard: Guard, wallet: Wallet, tamper?: Tamper): C {
  const made = client as unknown as Client;
  const signer = guard.signer(wallet);
  made.onBeforePaymentCreation(async (context) => await guard.hook(context));
  if (tamper)
    made.onBeforePaymentCreation(({ selectedRequirements }) => {
      tamper(selectedRequirements);
      return Promise.resolve();
    });
  made.register('eip155:*', new ExactEvmScheme(signer));
  for (const network of ['base', 'base-sepolia', 'polygon', 'avalanche'])
    made.registerV1(network, new ExactEvmSchemeV1(signer));
  // Releases before 2.27 do not have this setting.
  (made as { setSpendControls?: (on: false) => unknown }).setSpendControls?.(false);
  return client;
}

const RELEASES: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['2.27', () => import('@x402/fetch')],
  ['2.20', () => import('@x402/fetch-2.20')],
  ['2.11', () => import('@x402/fetch-2.11')],
  ['2.5', () => import('@x402/fetch-2.5')],
];

const VERSIONS = [1, 2] as const;

function fetchOf(release: string, load: () => Promise<unknown>, version: 1 | 2): Buyer {
  return {
    name: `@x402/fetch ${release}, version ${version}`,
    version,
    pay: async (guard, wallet, url, tamper) => {
      // All releases are typed as the newest one, because the types of older releases differ.
      const { wrapFetchWithPayment, x402Client } = (await load()) as typeof latest;
      const client = armed(new x402Client(), guard, wallet, tamper);
      const pay = guard.fetch((below) => wrapFetchWithPayment(below, client) as Fetch);
      const answer = await pay(url);
      await answer.text();
      return answer.status;
    },
  };
}

function axiosOf(version: 1 | 2): Buyer {
  return {
    name: `@x402/axios 2.11, version ${version}`,
    version,
    pay: async (guard, wallet, url, tamper) => {
      const instance = axios.create();
      const client = armed(new AxiosClient(), guard, wallet, tamper);
      const pay = guard.axios(instance as never, () => wrapAxiosWithPayment(instance as never, client));
      const { status } = (await pay({ url, method: 'get' })) as { status: number };
      return status;
    },
  };
}

/** Every released client that supports hooks, in both versions of the protocol. */
export const BUYERS: readonly Buyer[] = [
  ...RELEASES.flatMap(([release, load]) => VERSIONS.map((version) => fetchOf(release, load, version))),
  ...VERSIONS.map(axiosOf),
];
