import { CHAINS, type SellableId } from '@app/networks';
import type { PaymentRequirements } from '@x402/core/types';
import { hashTypedData, isAddressEqual, recoverAddress, type Address, type Hex } from 'viem';
import type { Authorization } from './payload';

/** https://eips.ethereum.org/EIPS/eip-3009, as USDC hashes it. */
const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** What the payer signs (EIP-712): the authorization, for the token of the requirement. */
export function authorizationDigest(authorization: Authorization, { network, asset }: PaymentRequirements): Hex {
  const { chainId, usdc } = CHAINS[network as SellableId];
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return hashTypedData({
    domain: { name: usdc.name, version: usdc.version, chainId, verifyingContract: asset as Address },
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message: {
      // Lower case: a client may send letters in any case, and viem refuses a wrong checksum.
      from: from.toLowerCase() as Address,
      to: to.toLowerCase() as Address,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: nonce as Hex,
    },
  });
}

/** Characters of 65 bytes in hex. */
const KEY_SIGNATURE_CHARS = 132;

/** Whether the key of an address signed a digest. A signature of another length is none of a key. */
export async function isSignedByKey(digest: Hex, signature: string, address: string): Promise<boolean> {
  if (signature.length !== KEY_SIGNATURE_CHARS) return false;
  try {
    const signer = await recoverAddress({ hash: digest, signature: signature as Hex });
    return isAddressEqual(signer, address.toLowerCase() as Address);
  } catch {
    return false; // r, s or v that no key makes
  }
}
