import { createLocalFacilitator } from '@app/payments';
import { join } from 'node:path';
import type { Address } from 'viem';
import { prepareMoney, type DemoMoney } from './demo-money';
import { startChain } from './embedded/embedded-chain';
import { startFacilitator } from './embedded/embedded-facilitator';
import type { Screen } from './screen';
import type { Settings } from './settings';
import type { StartedProcesses } from './started-processes';

/** How payments are settled. */
export interface Money {
  readonly payTo: Address;
  /** Null if the gateway settles payments itself. */
  readonly facilitatorUrl: string | null;
  /** The node of the local chain; for a real chain, the caller's variables name it. */
  readonly rpcUrl: string | null;
  /** Null if the money is real. */
  readonly wallet: DemoMoney['wallet'] | null;
}

/** Settlements on a chain that mines on demand take milliseconds. */
const LOCAL_CONFIRMATION_MS = 20_000;
const LOCAL_POLLING_MS = 25;

/** Uses the caller's facilitator or key, or else starts a chain with USDC and a facilitator on it. */
export async function startMoney(settings: Settings, deps: StartedProcesses, screen: Screen): Promise<Money> {
  const { network, facilitator: choice, payTo, dataDir } = settings;
  if (choice.kind !== 'embedded' && payTo !== null) {
    const facilitatorUrl = choice.kind === 'remote' ? choice.url : null;
    const through = facilitatorUrl === null ? "the gateway's own facilitator" : new URL(facilitatorUrl).host;
    screen.part('money', `real: ${network.id} through ${through}`);
    return { payTo, facilitatorUrl, rpcUrl: null, wallet: null };
  }
  const chain = await startChain({ dir: join(dataDir, 'chain'), chainId: network.chainId, onSpawn: deps.watch });
  deps.addProcess(chain.process);
  const money = await prepareMoney(chain.rpcUrl, network, join(dataDir, 'keys'));
  screen.part('chain', `local ${network.id} with USDC at ${network.usdc.address.slice(0, 10)}…, ${chain.rpcUrl}`);
  const facilitator = await startFacilitator(
    createLocalFacilitator({
      rpcUrl: chain.rpcUrl,
      chainId: network.chainId,
      privateKey: money.facilitatorKey,
      confirmationTimeoutMs: LOCAL_CONFIRMATION_MS,
      pollingIntervalMs: LOCAL_POLLING_MS,
    }),
    chain.keep,
  );
  deps.add(facilitator.stop);
  screen.part('facilitator', `x402 exact, ${facilitator.url}`);
  return { payTo: payTo ?? money.payTo, facilitatorUrl: facilitator.url, rpcUrl: chain.rpcUrl, wallet: money.wallet };
}
