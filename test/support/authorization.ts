import { NETWORKS } from '@app/payments';
import { parseAbi, parseEther, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { chainClient, mined, type ChainClient } from '../../apps/standalone/src/embedded/embedded-chain';
import type { Payer } from './payer';
import { stack } from './stack';

const { usdc: USDC } = NETWORKS['eip155:8453'];
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

/** Somebody with Ether on the local chain, who carries out what others signed. */
async function relay(): Promise<{ client: ChainClient; account: ReturnType<typeof privateKeyToAccount> }> {
  const client = chainClient(stack().rpcUrl, 8453);
  const account = privateKeyToAccount(generatePrivateKey());
  await client.setBalance({ address: account.address, value: parseEther('1') });
  return { client, account };
}

/** The payer takes an authorization back on the chain (EIP-3009 `cancelAuthorization`). */
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

/** Carries out an authorization of the payer, whoever it pays; returns the transaction. */
export async function useAuthorization(
  payer: Payer,
  { to, value, validBefore, nonce }: SentAuthorization,
): Promise<Hex> {
  const from = payer.account.address;
  const message = { from, to, value, validAfter: 0n, validBefore, nonce };
  const signature = await payer.account.signTypedData({
    domain: DOMAIN,
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message,
  });
  const { client, account } = await relay();
  const hash = await client.writeContract({
    account,
    address: USDC.address,
    abi: TOKEN,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, 0n, validBefore, nonce, signature],
  });
  await mined(client, hash);
  return hash;
}
