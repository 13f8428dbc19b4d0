import { CHAINS, type SellableId } from '@app/networks';
import { authorizationTypes } from '@x402/evm';
import type { PaymentRequirements } from '@x402/core/types';
import { hashTypedData, isAddressEqual, recoverAddress, type Address, type Hex } from 'viem';
import type { Authorization } from './payload';

/** The EIP-712 digest that the payer signs: the EIP-3009 authorization for the token of the requirement. */
export function authorizationDigest(authorization: Authorization, { network, asset }: PaymentRequirements): Hex {
  const { chainId, usdc } = CHAINS[network as SellableId];
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return hashTypedData({
    domain: { name: usdc.name, version: usdc.version, chainId, verifyingContract: asset as Address },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      // In lower case, because clients send any case and viem rejects wrong checksums.
      from: from.toLowerCase() as Address,
      to: to.toLowerCase() as Address,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: nonce as Hex,
    },
  });
}

/** The length of 65 bytes in hex, with its prefix. */
const KEY_SIGNATURE_CHARS = 132;

/** Whether the key of an address signed a digest. A key only makes signatures of this length. */
export async function isSignedByKey(digest: Hex, signature: string, address: string): Promise<boolean> {
  if (signature.length !== KEY_SIGNATURE_CHARS) return false;
  try {
    const signer = await recoverAddress({ hash: digest, signature: signature as Hex });
    return isAddressEqual(signer, address.toLowerCase() as Address);
  } catch {
    return false; // r, s or v are out of range
  }
}
