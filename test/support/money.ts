import { CHAINS } from '@app/networks';
import { createLocalFacilitator } from '@app/payments';
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { chainClient, startChain } from '../../apps/standalone/src/embedded/embedded-chain';
import { startFacilitator } from '../../apps/standalone/src/embedded/embedded-facilitator';
import { installUsdc } from '../../apps/standalone/src/embedded/usdc-contract';

/** A chain with USDC and a facilitator that settles on it. */
export interface Money {
  readonly rpcUrl: string;
  readonly facilitatorUrl: string;
  readonly stop: () => Promise<void>;
}

/** @param dir directory for the files of the chain */
export async function startMoney(dir: string): Promise<Money> {
  const chain = await startChain({ dir, chainId: 8453 });
  const client = chainClient(chain.rpcUrl, 8453);
  await installUsdc(client, CHAINS['eip155:8453'].usdc);
  const privateKey = generatePrivateKey();
  await client.setBalance({ address: privateKeyToAddress(privateKey), value: parseEther('1000') });
  const settling = createLocalFacilitator({
    rpcUrl: chain.rpcUrl,
    chainId: 8453,
    privateKey,
    confirmationTimeoutMs: 20_000,
    pollingIntervalMs: 25,
  });
  await settling.getSupported(); // loads its sources now, because they are not transpiled after the global setup
  const facilitator = await startFacilitator(settling);
  return {
    rpcUrl: chain.rpcUrl,
    facilitatorUrl: facilitator.url,
    stop: async () => {
      await facilitator.stop();
      await chain.process.stop();
    },
  };
}
