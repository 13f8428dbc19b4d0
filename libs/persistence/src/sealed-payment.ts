import type { Attempt, AuthorizationKey, Claim } from '@app/payments';
import type { Vault } from './vault';

/** A payment at rest: its signature is worth something to a reader. */
export interface SealedPayment {
  readonly sealed: string;
}

/** A payment opens in the row of its authorization only. */
const subjectOf = ({ network, asset, payer, nonce }: AuthorizationKey): string =>
  [network, asset, payer, nonce].join(' ');

/** The payment of a claim as its row keeps it, JSON. */
export function sealPayment(vault: Vault, claim: Claim): string {
  const sealed = vault.sealText('payment', subjectOf(claim), JSON.stringify(claim.payment));
  return JSON.stringify({ sealed } satisfies SealedPayment);
}

/** The payment of a row, sealed or as an earlier release stored it. @throws when none of the keys opens it */
export function openPayment(
  vault: Vault,
  row: AuthorizationKey & Pick<Attempt, 'id'> & { readonly payment: Attempt['payment'] | SealedPayment },
): Attempt['payment'] {
  if (!('sealed' in row.payment)) return row.payment;
  const text = vault.openText('payment', subjectOf(row), row.payment.sealed);
  if (text === undefined) throw new Error(`the payment of attempt ${row.id} cannot be opened`);
  return JSON.parse(text) as Attempt['payment'];
}

/** What is stored of the payer's name for a purchase: enough to know it again. */
export function hashOfName(vault: Vault, name: string | null): string | null {
  return name === null ? null : vault.keyedHash('payment_name', name);
}
