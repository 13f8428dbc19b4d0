import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHAINS, type ReadableId } from '@app/networks';
import { encodeFunctionData, parseAbi, parseEther, type Address, type Hash, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { chainClient, mined, startChain, type ChainClient } from '../../apps/standalone/src/embedded/embedded-chain';
import { installUsdc, mintUsdc, MULTICALL3 } from '../../apps/standalone/src/embedded/usdc-contract';

const TOKEN = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
]);
const MULTICALL = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'function aggregate3(Call[] calls) payable returns (bytes[])',
]);

/** One call of a bundle. */
interface BundledCall {
  readonly target: Address;
  readonly callData: Hex;
}

/** A local chain with USDC, somebody who has some, and a block per transaction. */
export interface UsdcChain {
  readonly rpcUrl: string;
  readonly client: ChainClient;
  readonly payer: Address;
  transfer(to: Address, value: bigint): Promise<Hash>;
  /** Calls in one transaction of a third party, as facilitators do; the payer has approved it. */
  bundle(calls: readonly BundledCall[]): Promise<Hash>;
  pull(to: Address, value: bigint): BundledCall;
  mint(to: Address, value: bigint): Promise<Hash>;
  /** A transfer that runs out of gas or funds. */
  revert(to: Address): Promise<Hash>;
  stop(): Promise<void>;
}

export async function startUsdcChain(network: ReadableId): Promise<UsdcChain> {
  const { chainId, usdc } = CHAINS[network];
  const dir = mkdtempSync(join(tmpdir(), 'hostprobe-chain-'));
  const chain = await startChain({ dir, chainId, slotsInAnEpoch: 1 });
  const client = chainClient(chain.rpcUrl, chainId);
  await installUsdc(client, usdc);
  const [payer, relayer] = [privateKeyToAccount(generatePrivateKey()), privateKeyToAccount(generatePrivateKey())];
  for (const { address } of [payer, relayer]) await client.setBalance({ address, value: parseEther('100') });
  await mintUsdc(client, payer.address, 1_000_000_000n);
  const done = async (hash: Hash): Promise<Hash> => {
    await mined(client, hash);
    return hash;
  };
  const call = encodeFunctionData;
  const bundle = async (calls: readonly BundledCall[]): Promise<Hash> => {
    const args = [calls.map((one) => ({ ...one, allowFailure: true }))] as const;
    const data = call({ abi: MULTICALL, functionName: 'aggregate3', args });
    // An estimate would find the least gas with which the bundle ends, although its calls fail.
    return done(await client.sendTransaction({ account: relayer, to: MULTICALL3, data, gas: 20_000_000n }));
  };
  const data = call({ abi: TOKEN, functionName: 'approve', args: [MULTICALL3, 10n ** 15n] });
  await done(await client.sendTransaction({ account: payer, to: usdc.address, data }));
  return {
    rpcUrl: chain.rpcUrl,
    client,
    payer: payer.address,
    bundle,
    transfer: async (to, value) => {
      const request = call({ abi: TOKEN, functionName: 'transfer', args: [to, value] });
      return done(await client.sendTransaction({ account: payer, to: usdc.address, data: request }));
    },
    pull: (to, value) => ({
      target: usdc.address,
      callData: call({ abi: TOKEN, functionName: 'transferFrom', args: [payer.address, to, value] }),
    }),
    mint: (to, value) => mintUsdc(client, to, value),
    revert: async (to) => {
      const request = call({ abi: TOKEN, functionName: 'transfer', args: [to, 10n ** 30n] });
      return done(await client.sendTransaction({ account: payer, to: usdc.address, data: request, gas: 200_000n }));
    },
    stop: () => chain.process.stop(),
  };
}
