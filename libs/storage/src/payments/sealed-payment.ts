import type { Attempt, AuthorizationKey, Claim, Settlement } from '@app/payments';
import type { Vault } from '../database/vault';

/** JSON at rest. */
interface SealedJson {
  readonly sealed: string;
}

/** A signature is worth something to a reader, and the URL of a request may hold a token: they are sealed as one text. */
type Request = Pick<Claim, 'payment' | 'requirement' | 'fingerprint' | 'resource'>;

/** A row as it is stored. */
export type StoredAttempt = Omit<Attempt, 'amount' | 'settlement' | keyof Request> & {
  readonly amount: string;
  /** The whole of the {@link Request}. */
  readonly payment: SealedJson;
  readonly settlement: (Omit<Settlement, 'extensions'> & { readonly extensions?: SealedJson }) | null;
  /** What the statement did besides (`recording`). */
  readonly told?: unknown;
};

/** What is sealed opens in the row of its authorization only, and each part in its own column. */
const subjectOf = ({ network, asset, payer, nonce }: AuthorizationKey, ...part: readonly string[]): string =>
  [network, asset, payer, nonce, ...part].join(' ');

/** The payment of a claim with the request that it is for, as its row keeps them, JSON. */
export function sealPayment(vault: Vault, claim: AuthorizationKey & Request): string {
  const { payment, requirement, fingerprint, resource } = claim;
  const text = JSON.stringify({ payment, requirement, fingerprint, resource } satisfies Request);
  return JSON.stringify({ sealed: vault.sealText('payment', subjectOf(claim), text) } satisfies SealedJson);
}

/** What is stored of a resource in clear text: the operation and the host, without the query. */
export function withoutQuery(resource: string): string {
  return resource.replace(/\?.*$/s, '');
}

/** The answer that was paid for as its row keeps it: it may repeat the URL that was checked. */
export function sealAnswer(vault: Vault, of: AuthorizationKey, answer: string): string {
  return vault.sealText('payment', subjectOf(of, 'answer'), answer);
}

/** A settlement as its row keeps it, JSON: what the seller signed names the resource. */
export function sealSettlement(vault: Vault, of: AuthorizationKey, { extensions, ...known }: Settlement): string {
  if (!extensions) return JSON.stringify(known);
  const sealed = vault.sealText('payment', subjectOf(of, 'receipt'), JSON.stringify(extensions));
  return JSON.stringify({ ...known, extensions: { sealed } satisfies SealedJson });
}

/** The attempt of a row. @throws when none of the keys opens it */
export function openAttempt(vault: Vault, row: StoredAttempt): Attempt {
  const open = (sealed: string, ...part: readonly string[]): string => {
    const text = vault.openText('payment', subjectOf(row, ...part), sealed);
    if (text === undefined) throw new Error(`the payment attempt ${row.id} cannot be opened`);
    return text;
  };
  const json = ({ sealed }: SealedJson, ...part: readonly string[]): unknown => JSON.parse(open(sealed, ...part));
  const { payment, answer, settlement } = row;
  const extensions = settlement?.extensions && json(settlement.extensions, 'receipt');
  const attempt = {
    ...row,
    ...(json(payment) as Request),
    amount: BigInt(row.amount),
    answer: answer === null ? null : open(answer, 'answer'),
    settlement: settlement && ({ ...settlement, ...(extensions ? { extensions } : {}) } as Settlement),
  };
  delete attempt.told;
  return attempt;
}

/** What is stored of the payer's name for a purchase: enough to know it again. */
export function hashOfName(vault: Vault, name: string | null): string | null {
  return name === null ? null : vault.keyedHash('payment_name', name);
}
