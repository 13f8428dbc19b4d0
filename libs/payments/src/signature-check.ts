import type { PaymentRequirements } from '@x402/core/types';
import type { ReadPayload } from './payload';

/** Asks contracts whether a signature is valid (EIP-1271; ERC-6492 for undeployed ones). */
export interface WalletReader {
  /**
   * @param digest hex of 32 bytes
   * @throws if no node answers
   */
  accepts(wallet: string, digest: string, signature: string): Promise<boolean>;
}

/** The maximum number of concurrent contract reads; each makes two calls to a node. */
const MAX_READS = 32;

/**
 * Checks the payer's signature before anything is stored or sent: a made-up payment costs this process a millisecond
 * and the facilitator nothing. If the payer's key did not make the signature, it may be a contract's, which needs a
 * node.
 */
export class SignatureCheck {
  private underWay = 0;

  /** @param wallets null if no chain can be read; then only the facilitator can check contract signatures */
  constructor(private readonly wallets: WalletReader | null) {}

  /** @throws if a node is needed and does not respond, or if too many checks are running */
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

/** 65 bytes: the length of nearly all key signatures and of few contract signatures. */
function isKeySignature(signature: string): boolean {
  return signature.length === 132;
}
