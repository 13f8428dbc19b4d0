import { CHAINS } from '@app/networks';
import { authorizationTypes } from '@x402/evm';
import { encodeFunctionData, multicall3Abi, parseAbi, parseEther, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { chainClient, mined, type ChainClient } from '../../apps/standalone/src/embedded/embedded-chain';
import { MULTICALL3 } from '../../apps/standalone/src/embedded/usdc-contract';
import type { Payer } from './payer';
import { stack } from './stack';

const { usdc: USDC } = CHAINS['eip155:8453'];
const TOKEN = parseAbi([
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);
const DOMAIN = { name: USDC.name, version: USDC.version, chainId: 8453, verifyingContract: USDC.address } as const;

interface SentAuthorization {
  readonly to: Address;
  readonly value: bigint;
  readonly validBefore: bigint;
  readonly nonce: Hex;
}

/** Somebody with Ether on the local chain, who executes what others signed. */
async function relay(): Promise<{ client: ChainClient; account: ReturnType<typeof privateKeyToAccount> }> {
  const client = chainClient(stack().rpcUrl, 8453);
  const account = privateKeyToAccount(generatePrivateKey());
  await client.setBalance({ address: account.address, value: parseEther('1') });
  return { client, account };
}

/** The payer cancels an authorization on the chain (EIP-3009 `cancelAuthorization`). */
export async function cancelAuthorization(payer: Payer, nonce: Hex): Promise<void> {
  const signature = await payer.account.signTypedData({
    domain: DOMAIN,
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.account.address, nonce },
  });
  const { client, account } = await relay();
  const hash = await client.writeContract({
    account,
    address: USDC.address,
    abi: TOKEN,
    functionName: 'cancelAuthorization',
    args: [payer.account.address, nonce, signature],
  });
  await mined(client, hash);
}

/** Executes an authorization of the payer for any recipient; returns the transaction. */
export async function useAuthorization(payer: Payer, sent: SentAuthorization): Promise<Hex> {
  const { client, account } = await relay();
  const data = await callFor(payer, sent);
  return done(client, await client.sendTransaction({ account, to: USDC.address, data }));
}

/** Executes several, in order, in one transaction. */
export async function useTogether(payer: Payer, sent: readonly SentAuthorization[]): Promise<Hex> {
  const { client, account } = await relay();
  const callData = await Promise.all(sent.map((one) => callFor(payer, one)));
  const calls = callData.map((data) => ({ target: USDC.address, allowFailure: false, callData: data }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  return done(client, await client.sendTransaction({ account, to: MULTICALL3, data }));
}

async function done(client: ChainClient, hash: Hex): Promise<Hex> {
  await mined(client, hash);
  return hash;
}

/** The call that executes an authorization, signed by the payer. */
async function callFor(payer: Payer, { to, value, validBefore, nonce }: SentAuthorization): Promise<Hex> {
  const from = payer.account.address;
  const message = { from, to, value, validAfter: 0n, validBefore, nonce };
  const signature = await payer.account.signTypedData({
    domain: DOMAIN,
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  });
  const args = [from, to, value, 0n, validBefore, nonce, signature] as const;
  return encodeFunctionData({ abi: TOKEN, functionName: 'transferWithAuthorization', args });
}
