import { atomicToUsd, usdToAtomic } from '@app/payments';
import { CommandError, EXIT } from '../terminal/exit-codes';
import type { Terminal } from '../terminal/terminal';

/**
 * Returns when a price may be paid, in atomic USDC; called before anything is signed.
 * @param limit what a command may spend: a decimal USD string, or how the person at the terminal is asked, if there is one
 * @throws {CommandError} `overLimit`
 */
export async function approve(priceAtomic: bigint, what: string, limit: string | Terminal['ask']): Promise<void> {
  const price = `${what} costs ${atomicToUsd(priceAtomic)} USDC`;
  if (limit === undefined) {
    throw new CommandError(EXIT.overLimit, `${price}; allow it with --max-usd, nothing was signed`);
  }
  const said = typeof limit === 'string' ? limit : await limit(`${price}. Spend at most (USD, empty for nothing): `);
  const limitAtomic = usdToAtomic(said.trim());
  if (limitAtomic === undefined) {
    throw new CommandError(EXIT.overLimit, `${price}, and no spend limit was given; nothing was signed`);
  }
  if (priceAtomic > limitAtomic) {
    const sentence = `${price}, the spend limit is ${atomicToUsd(limitAtomic)}; nothing was signed`;
    throw new CommandError(EXIT.overLimit, sentence);
  }
}
