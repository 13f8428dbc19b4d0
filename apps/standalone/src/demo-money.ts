import type { Chain } from '@app/networks';
import { join } from 'node:path';
import { parseEther, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { chainClient } from './embedded/embedded-chain';
import { keptSecret } from './embedded/private-file';
import { installUsdc, mintUsdc, usdcBalance } from './embedded/usdc-contract';

/** The accounts of the local chain. Their keys are generated once per DATA_DIR and are worth nothing elsewhere. */
export interface DemoMoney {
  readonly payTo: Address;
  readonly facilitatorKey: Hex;
  readonly wallet: { readonly address: Address; readonly privateKey: Hex };
}

/** Atomic USDC: the initial balance of the demo wallet, and the balance below which it is refilled. */
const WALLET_FUNDS = 1_000_000_000n;
const WALLET_LOW = 1_000_000n;

/** Installs USDC on the chain, and gives 1000 USDC to the demo wallet and Ether for gas to the facilitator. */
export async function prepareMoney(rpcUrl: string, network: Chain, keyDir: string): Promise<DemoMoney> {
  const client = chainClient(rpcUrl, network.chainId);
  const [payTo, facilitatorKey, walletKey] = ['pay-to', 'facilitator', 'demo-wallet'].map(
    (name): Hex => `0x${keptSecret(join(keyDir, `${name}.key`))}`,
  ) as [Hex, Hex, Hex];
  const wallet = privateKeyToAccount(walletKey);
  await installUsdc(client, network.usdc);
  await client.setBalance({ address: privateKeyToAccount(facilitatorKey).address, value: parseEther('1000') });
  const balance = await usdcBalance(client, network.usdc, wallet.address);
  if (balance < WALLET_LOW) await mintUsdc(client, wallet.address, WALLET_FUNDS - balance);
  return {
    payTo: privateKeyToAccount(payTo).address,
    facilitatorKey,
    wallet: { address: wallet.address, privateKey: walletKey },
  };
}
