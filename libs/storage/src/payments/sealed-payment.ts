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

/** Encrypted JSON. */
const SealedJson = z.object({ sealed: z.string() });
type SealedJson = Readonly<z.infer<typeof SealedJson>>;

/** Signatures are valuable, and request URLs may contain tokens, so both are encrypted together. */
type Request = Pick<NewAttempt, 'payment' | 'requirement' | 'fingerprint' | 'resource'>;

type StoredSettlement = Omit<Settlement, 'extensions'> & { readonly extensions?: SealedJson };
const isSettlement = z.object({ transaction: z.string(), extensions: SealedJson.optional() });

/** A stored row, from Prisma or from SQL. */
const StoredAttempt = z.object({
  ...{ id: z.string(), network: z.string(), asset: z.string(), payer: z.string(), nonce: z.string() },
  ...{ payTo: z.string(), validBefore: z.date(), sku: z.string(), payloadDigest: z.string() },
  amount: z.instanceof(Prisma.Decimal).transform((amount) => BigInt(amount.toFixed())),
  ...{ paymentIdentifier: z.string().nullable(), state: z.enum(ATTEMPT_STATES), reason: z.string().nullable() },
  /** The complete {@link Request}. */
  payment: SealedJson,
  answer: z.string().nullable(),
  /** With its fields in the order in which they were written, so that a receipt is always the same. */
  settlement: z.custom<StoredSettlement>((value) => isSettlement.safeParse(value).success).nullable(),
  ...{ watchAt: z.date().nullable(), createdAt: z.date(), updatedAt: z.date() },
});

/** Encrypted data can only be decrypted in the row of its authorization, and each part in its own column. */
const subjectOf = ({ network, asset, payer, nonce }: AuthorizationKey, ...part: readonly string[]): string =>
  [network, asset, payer, nonce, ...part].join(' ');

/** Encrypts the payment of an attempt with its request, as JSON for its row. */
export function sealPayment(vault: Vault, attempt: AuthorizationKey & Request): string {
  const { payment, requirement, fingerprint, resource } = attempt;
  const text = JSON.stringify({ payment, requirement, fingerprint, resource } satisfies Request);
  return JSON.stringify({ sealed: vault.sealText('payment', subjectOf(attempt), text) } satisfies SealedJson);
}

/** The plain text part of a resource: operation and host, without the query. */
export function withoutQuery(resource: string): string {
  return resource.replace(/\?.*$/s, '');
}

/** Encrypts the paid answer, which may repeat the checked URL. */
export function sealAnswer(vault: Vault, of: AuthorizationKey, answer: Content): string {
  return vault.sealText('payment', subjectOf(of, 'answer'), JSON.stringify(answer));
}

/** Encrypts the parts of a settlement that name the resource (the seller's signature), as JSON. */
export function sealSettlement(vault: Vault, of: AuthorizationKey, { extensions, ...known }: Settlement): string {
  if (!extensions) return JSON.stringify(known);
  const sealed = vault.sealText('payment', subjectOf(of, 'receipt'), JSON.stringify(extensions));
  return JSON.stringify({ ...known, extensions: { sealed } satisfies SealedJson });
}

/** Decrypts the attempt of a row. @throws if no key fits */
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

/** A keyed hash of the payer's purchase name, enough to recognize it. */
export function hashOfName(vault: Vault, name: string | null): string | null {
  return name === null ? null : vault.keyedHash('payment_name', name);
}
