import type { Database } from '../database/database';

/** Nonces that wallets signed in with. */
export class SignInNonceRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes a nonce of an address; false when it was taken before, by whichever gateway: the key of the table decides.
   * Nonces are remembered for `forSec`, longer than their messages are good for by more than the clocks of the gateways
   * may differ.
   */
  async take(address: string, nonce: string, forSec: number): Promise<boolean> {
    const { signInNonce } = this.database.prisma;
    const now = Date.now();
    await signInNonce.deleteMany({ where: { expiresAt: { lt: new Date(now) } } });
    const { count } = await signInNonce.createMany({
      data: [{ address, nonce, expiresAt: new Date(now + forSec * 1_000) }],
      skipDuplicates: true,
    });
    return count === 1;
  }
}
