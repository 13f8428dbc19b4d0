import { atomicToUsd, usdToAtomic } from '@app/payments';
import { CommandError, EXIT } from '../terminal/exit-codes';
import type { Terminal } from '../terminal/terminal';

/** What one command may spend, in atomic USDC: given on the command line, or asked for when a price is known. */
export class SpendLimit {
  constructor(
    /** A decimal USD string; null asks. */
    private readonly maxUsd: string | null,
    /** Asks the person at the terminal; undefined where there is none. */
    private readonly ask: Terminal['ask'] | undefined,
  ) {}

  /**
   * Returns when the price may be paid; called before anything is signed.
   * @throws {CommandError} `overLimit`
   */
  async approve(priceAtomic: bigint, what: string): Promise<void> {
    const price = `${what} costs ${atomicToUsd(priceAtomic)} USDC`;
    const limit = this.maxUsd ?? (await this.asked(price));
    const limitAtomic = usdToAtomic(limit);
    if (limitAtomic === undefined) {
      throw new CommandError(EXIT.overLimit, `${price}, and no spend limit was given; nothing was signed`);
    }
    if (priceAtomic > limitAtomic) {
      throw new CommandError(
        EXIT.overLimit,
        `${price}, the spend limit is ${atomicToUsd(limitAtomic)}; nothing was signed`,
      );
    }
  }

  private async asked(price: string): Promise<string> {
    if (!this.ask) {
      throw new CommandError(EXIT.overLimit, `${price}; allow it with --max-usd, nothing was signed`);
    }
    return (await this.ask(`${price}. Spend at most (USD, empty for nothing): `)).trim();
  }
}
