import {
  ATTEMPT_STATES,
  type Attempt,
  type AuthorizationKey,
  type NewAttempt,
  type Content,
  type Settlement,
} from '@app/payments';
import { z } from 'zod';
import type { Vault } from '../database/vault';
import { Prisma } from '../generated/client';

/** JSON at rest. */
const SealedJson = z.object({ sealed: z.string() });
type SealedJson = Readonly<z.infer<typeof SealedJson>>;

/** A signature is worth something to a reader, and the URL of a request may hold a token: they are sealed as one text. */
type Request = Pick<NewAttempt, 'payment' | 'requirement' | 'fingerprint' | 'resource'>;

type StoredSettlement = Omit<Settlement, 'extensions'> & { readonly extensions?: SealedJson };
const isSettlement = z.object({ transaction: z.string(), extensions: SealedJson.optional() });

/** A row as it is stored, of the model or of a statement. */
const StoredAttempt = z.object({
  ...{ id: z.string(), network: z.string(), asset: z.string(), payer: z.string(), nonce: z.string() },
  ...{ payTo: z.string(), validBefore: z.date(), sku: z.string(), payloadDigest: z.string() },
  amount: z.instanceof(Prisma.Decimal).transform((amount) => BigInt(amount.toFixed())),
  ...{ paymentIdentifier: z.string().nullable(), state: z.enum(ATTEMPT_STATES), reason: z.string().nullable() },
  /** The whole of the {@link Request}. */
  payment: SealedJson,
  answer: z.string().nullable(),
  /** With its members in the order in which they were written: a receipt is the same each time. */
  settlement: z.custom<StoredSettlement>((value) => isSettlement.safeParse(value).success).nullable(),
  ...{ watchAt: z.date().nullable(), createdAt: z.date(), updatedAt: z.date() },
});

/** What is sealed opens in the row of its authorization only, and each part in its own column. */
const subjectOf = ({ network, asset, payer, nonce }: AuthorizationKey, ...part: readonly string[]): string =>
  [network, asset, payer, nonce, ...part].join(' ');

/** The payment of an attempt with the request that it is for, as its row keeps them, JSON. */
export function sealPayment(vault: Vault, attempt: AuthorizationKey & Request): string {
  const { payment, requirement, fingerprint, resource } = attempt;
  const text = JSON.stringify({ payment, requirement, fingerprint, resource } satisfies Request);
  return JSON.stringify({ sealed: vault.sealText('payment', subjectOf(attempt), text) } satisfies SealedJson);
}

/** What is stored of a resource in clear text: the operation and the host, without the query. */
export function withoutQuery(resource: string): string {
  return resource.replace(/\?.*$/s, '');
}

/** The answer that was paid for as its row keeps it: it may repeat the URL that was checked. */
export function sealAnswer(vault: Vault, of: AuthorizationKey, answer: Content): string {
  return vault.sealText('payment', subjectOf(of, 'answer'), JSON.stringify(answer));
}

/** A settlement as its row keeps it, JSON: what the seller signed names the resource. */
export function sealSettlement(vault: Vault, of: AuthorizationKey, { extensions, ...known }: Settlement): string {
  if (!extensions) return JSON.stringify(known);
  const sealed = vault.sealText('payment', subjectOf(of, 'receipt'), JSON.stringify(extensions));
  return JSON.stringify({ ...known, extensions: { sealed } satisfies SealedJson });
}

/** The attempt of a row. @throws when none of the keys opens it */
export function openAttempt(vault: Vault, row: unknown): Attempt {
  const { payment, answer, settlement, watchAt, updatedAt: reachedAt, ...known } = StoredAttempt.parse(row);
  const open = (sealed: string, ...part: readonly string[]): string => {
    const text = vault.openText('payment', subjectOf(known, ...part), sealed);
    if (text === undefined) throw new Error(`cannot decrypt the payment attempt ${known.id}`);
    return text;
  };
  const json = ({ sealed }: SealedJson, ...part: readonly string[]): unknown => JSON.parse(open(sealed, ...part));
  const extensions = settlement?.extensions && json(settlement.extensions, 'receipt');
  return {
    ...known,
    ...(json(payment) as Request),
    answer: answer === null ? null : (json({ sealed: answer }, 'answer') as Content),
    settlement: settlement && ({ ...settlement, ...(extensions ? { extensions } : {}) } as Settlement),
    watched: watchAt !== null,
    reachedAt,
  };
}

/** What is stored of the payer's name for a purchase: enough to know it again. */
export function hashOfName(vault: Vault, name: string | null): string | null {
  return name === null ? null : vault.keyedHash('payment_name', name);
}
