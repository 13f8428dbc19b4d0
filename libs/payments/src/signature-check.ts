import type { PaymentRequirements } from '@x402/core/types';
import type { ReadPayload } from './payload';

/** Asks contracts for their word on a signature (EIP-1271; ERC-6492 for one that is not deployed yet). */
export interface WalletReader {
  /**
   * @param digest hex of 32 bytes
   * @throws when no node answers
   */
  accepts(wallet: string, digest: string, signature: string): Promise<boolean>;
}

/** Reads of contracts under way at once; each is two calls to a node. */
const MAX_READS = 32;

/**
 * Whether the payer signed what is presented, found out before anything is stored or asked for: a made-up payment costs
 * this process a millisecond, and the facilitator nothing. A signature that is not of the payer's key may be one of a
 * contract, which a node knows.
 */
export class SignatureCheck {
  private underWay = 0;

  /** @param wallets null where no chain can be read: then the facilitator alone judges what no key has signed */
  constructor(private readonly wallets: WalletReader | null) {}

  /** @throws when a node is needed and does not respond, or when too many checks are running */
  async isSigned({ authorization, signature }: ReadPayload, requirement: PaymentRequirements): Promise<boolean> {
    const { authorizationDigest, isSignedByKey } = await import('./authorization-signature.js');
    const digest = authorizationDigest(authorization, requirement);
    if (await isSignedByKey(digest, signature, authorization.from)) return true;
    if (!this.wallets) return !isKeySignature(signature);
    if (this.underWay >= MAX_READS) throw new Error('too many contract signatures are being checked');
    this.underWay += 1;
    try {
      return await this.wallets.accepts(authorization.from, digest, signature);
    } finally {
      this.underWay -= 1;
    }
  }
}

/** 65 bytes, which nearly every key makes and few contracts do. */
function isKeySignature(signature: string): boolean {
  return signature.length === 132;
}
