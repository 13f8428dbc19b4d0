import type { NewAttempt } from '@app/payments';
import type { Vault } from '../database/vault';
import { Prisma } from '../generated/client';
import { hashOfName, sealPayment, withoutQuery } from './sealed-payment';

/** What a statement answers of an attempt, under the names of the model. */
export const COLUMNS = Prisma.sql`id, network, asset, payer, nonce, pay_to AS "payTo", amount, valid_before AS "validBefore", sku,
  payload_digest AS "payloadDigest", payment_identifier AS "paymentIdentifier", state, reason, payment, answer, settlement,
  watch_at AS "watchAt", created_at AS "createdAt", updated_at AS "updatedAt"`;

/**
 * States whose loss in a crash of the database costs no money: before any is sent the buyer tries again, and after
 * `settled` is lost the row is `settling` with its answer, for which the chain says that the money came.
 */
const NOT_AWAITED = Prisma.sql`('received', 'working', 'settled')`;

/** Entries of an attempt's history after which steps that move no money are no longer written down (behaviour 9.14). */
export const LONGEST_HISTORY = 60;
/** A payment that is sent again and again takes these steps again and again. */
const COSTS_NOTHING = Prisma.sql`('received', 'verified', 'working', 'rejected', 'work_failed')`;

/**
 * Appends the states entered to the row's history; completes a statement whose first part is `moved`. Those that wait
 * are notified when the attempt has no driver any more. The commit of `settling` waits for the disk, and so answer and
 * intent are on it before the money is sent.
 * @param columns what the statement answers with
 * @param passed the state passed on the way
 */
export const recording = (columns: Prisma.Sql, passed: string | null = null): Prisma.Sql => Prisma.sql`, logged AS (
    INSERT INTO payment_event (attempt_id, seq, state, reason, at)
    SELECT id, past.seq + step.seq, step.state, CASE WHEN step.state = moved.state THEN reason END, now()
    FROM moved, LATERAL (SELECT coalesce(max(seq), 0) AS seq FROM payment_event WHERE attempt_id = moved.id) AS past,
      unnest(array_remove(ARRAY[${passed}::text, moved.state], NULL)) WITH ORDINALITY AS step (state, seq)
    WHERE past.seq < ${LONGEST_HISTORY} OR step.state NOT IN ${COSTS_NOTHING})
  SELECT ${columns}, ARRAY[
    CASE WHEN lease_until <= now() THEN pg_notify('payment_changed', id::text)::text END,
    CASE WHEN state IN ${NOT_AWAITED} THEN set_config('synchronous_commit', 'off', true) END] AS told
  FROM moved`;

/** When the chain is first read about an attempt that was settled, or given up: its block may vanish, or come late. */
export const FIRST_WATCH = Prisma.sql`interval '5 seconds'`;
/** SQL of `watch_at` in a statement that enters a state. */
export const watchFrom = (state: string): Prisma.Sql =>
  Prisma.sql`CASE WHEN ${state}::text IN ('settled', 'settle_failed') THEN now() + ${FIRST_WATCH} END`;

/** What a row has of the payment that it is bound to. */
export const BOUND_TO = Prisma.sql`pay_to, amount, valid_before, sku, resource, payload_digest, payment_identifier, payment`;
export function boundTo(vault: Vault, attempt: NewAttempt): Prisma.Sql {
  const { payTo, amount, validBefore, sku, resource, payloadDigest, paymentIdentifier } = attempt;
  const name = hashOfName(vault, paymentIdentifier);
  return Prisma.sql`${payTo}, ${amount}, ${validBefore}, ${sku}, ${withoutQuery(resource)}, ${payloadDigest}, ${name},
    ${sealPayment(vault, attempt)}::jsonb`;
}
