import { atomicToUsd, usdToAtomic } from '@app/payments';
import { CommandError, EXIT } from '../terminal/exit-codes';
import type { Terminal } from '../terminal/terminal';

/**
 * Returns if the price, in atomic USDC, is approved. Called before anything is signed.
 * @param limit the spend limit of the command as a decimal USD string, or the function that asks the user, if there
 *   is a terminal
 * @throws {CommandError} `overLimit`
 */
export async function approve(priceAtomic: bigint, what: string, limit: string | Terminal['ask']): Promise<void> {
  const price = `${what} costs ${atomicToUsd(priceAtomic)} USDC`;
  if (limit === undefined) {
    throw new CommandError(EXIT.overLimit, `${price}; set a spend limit with --max-usd. Nothing was signed`);
  }
  const said = typeof limit === 'string' ? limit : await limit(`${price}. Spend limit in USD (empty to cancel): `);
  const limitAtomic = usdToAtomic(said.trim());
  if (limitAtomic === undefined) {
    throw new CommandError(EXIT.overLimit, `${price}, and no spend limit was given. Nothing was signed`);
  }
  if (priceAtomic > limitAtomic) {
    const sentence = `${price}, above the spend limit of ${atomicToUsd(limitAtomic)}. Nothing was signed`;
    throw new CommandError(EXIT.overLimit, sentence);
  }
}
