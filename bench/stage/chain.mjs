// A local chain with the real USDC contract, for rows in which money moves.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { built } from './built.mjs';

const require = createRequire(import.meta.url);
const { parseEther } = require('viem');
const { chainClient, startChain } = built('apps/standalone/src/embedded/embedded-chain');
const { installUsdc, mintUsdc } = built('apps/standalone/src/embedded/usdc-contract');

/** Gives `buyer` 1,000 USDC and each of the `senders` the gas for its transactions. */
export async function putChain(stage, { usdc, chainId }, { buyer, senders }) {
  const chain = await startChain({ dir: join(stage.dir, 'chain'), chainId });
  stage.later(() => chain.process.stop());
  const client = chainClient(chain.rpcUrl, chainId);
  await installUsdc(client, usdc);
  await mintUsdc(client, buyer, 1_000_000_000n);
  for (const address of senders) await client.setBalance({ address, value: parseEther('100') });
  return chain.rpcUrl;
}
