import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHAINS, type ReadableId } from '@app/networks';
import {
  concatHex,
  encodeFunctionData,
  pad,
  parseAbi,
  parseEther,
  toHex,
  type Address,
  type Hash,
  type Hex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { chainClient, mined, startChain, type ChainClient } from '../../apps/standalone/src/embedded/embedded-chain';
import { installUsdc, mintUsdc, MULTICALL3 } from '../../apps/standalone/src/embedded/usdc-contract';

const TOKEN = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);
const MULTICALL = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'function aggregate3(Call[] calls) payable returns (bytes[])',
]);

/** Emits as many Transfer events as its fourth argument says, about whatever the first three name. */
const SPAMMER = '0x0000000000000000000000000000000000fa4e01';
/** A smart wallet that approves every signature (EIP-1271). */
const SMART_WALLET = '0x0000000000000000000000000000000000a11e77';

/** PUSH count; loop: stop at 0; store value; LOG3(Transfer, from, to); count - 1; again. */
const SPAMMER_CODE: Hex = concatHex([
  '0x606035',
  '0x5b8015604257',
  '0x604035600052',
  '0x602035600035',
  '0x7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  '0x60206000a3',
  '0x60019003600356',
  '0x5b00',
]);
const SMART_WALLET_CODE: Hex = '0x631626ba7e60e01b60005260206000f3';

/** One call of a bundle. */
interface BundledCall {
  readonly target: Address;
  readonly callData: Hex;
}

/** A local chain with USDC, somebody who has some, and a block for each transaction. */
export interface UsdcChain {
  readonly rpcUrl: string;
  readonly client: ChainClient;
  readonly payer: Address;
  readonly smartWallet: Address;
  transfer(to: Address, value: bigint): Promise<Hash>;
  /** Calls wrapped in one transaction of a third party, as facilitators do; the payer has approved it. */
  bundle(calls: readonly BundledCall[]): Promise<Hash>;
  pull(to: Address, value: bigint): BundledCall;
  /** Transfer events of a contract that is not the token. */
  spoof(to: Address, value: bigint, count?: number): BundledCall;
  /** Pays from the smart wallet, by its signature. */
  payFromSmartWallet(to: Address, value: bigint): Promise<Hash>;
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
  for (const holder of [payer.address, SMART_WALLET] as const) await mintUsdc(client, holder, 1_000_000_000n);
  await client.setCode({ address: SPAMMER, bytecode: SPAMMER_CODE });
  await client.setCode({ address: SMART_WALLET, bytecode: SMART_WALLET_CODE });
  const done = async (hash: Hash): Promise<Hash> => {
    await mined(client, hash);
    return hash;
  };
  const call = encodeFunctionData;
  const bundle = async (calls: readonly BundledCall[]): Promise<Hash> => {
    const args = [calls.map((one) => ({ ...one, allowFailure: true }))] as const;
    const data = call({ abi: MULTICALL, functionName: 'aggregate3', args });
    // An estimate would find the least gas with which the bundle ends, its calls failing.
    return done(await client.sendTransaction({ account: relayer, to: MULTICALL3, data, gas: 20_000_000n }));
  };
  const data = call({ abi: TOKEN, functionName: 'approve', args: [MULTICALL3, 10n ** 15n] });
  await done(await client.sendTransaction({ account: payer, to: usdc.address, data }));
  const word = (value: Hex): Hex => pad(value, { size: 32 });
  return {
    rpcUrl: chain.rpcUrl,
    client,
    payer: payer.address,
    smartWallet: SMART_WALLET,
    bundle,
    transfer: async (to, value) => {
      const request = call({ abi: TOKEN, functionName: 'transfer', args: [to, value] });
      return done(await client.sendTransaction({ account: payer, to: usdc.address, data: request }));
    },
    pull: (to, value) => ({
      target: usdc.address,
      callData: call({ abi: TOKEN, functionName: 'transferFrom', args: [payer.address, to, value] }),
    }),
    spoof: (to, value, count = 1) => ({
      target: SPAMMER,
      callData: concatHex([word(payer.address), word(to), word(toHex(value)), word(toHex(count))]),
    }),
    payFromSmartWallet: async (to, value) => {
      const args = [SMART_WALLET, to, value, 0n, 2n ** 40n, generatePrivateKey(), '0x1234'] as const;
      const request = call({ abi: TOKEN, functionName: 'transferWithAuthorization', args });
      return done(await client.sendTransaction({ account: relayer, to: usdc.address, data: request }));
    },
    mint: (to, value) => mintUsdc(client, to, value),
    revert: async (to) => {
      const request = call({ abi: TOKEN, functionName: 'transfer', args: [to, 10n ** 30n] });
      return done(await client.sendTransaction({ account: payer, to: usdc.address, data: request, gas: 200_000n }));
    },
    stop: () => chain.process.stop(),
  };
}
