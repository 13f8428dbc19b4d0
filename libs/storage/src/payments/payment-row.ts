import type { NewAttempt } from '@app/payments';
import type { Vault } from '../database/vault';
import { Prisma } from '../generated/client';
import { hashOfName, sealPayment, withoutQuery } from './sealed-payment';

/** The columns of an attempt, under their names in the model. */
export const COLUMNS = Prisma.sql`id, network, asset, payer, nonce, pay_to AS "payTo", amount, valid_before AS "validBefore", sku,
  payload_digest AS "payloadDigest", payment_identifier AS "paymentIdentifier", state, reason, payment, answer, settlement,
  watch_at AS "watchAt", created_at AS "createdAt", updated_at AS "updatedAt"`;

/**
 * States whose loss in a database crash costs no money: in the first two, nothing was sent and the buyer tries again;
 * if `settled` is lost, the row is `settling` with its answer, and the chain shows the transfer.
 */
const NOT_AWAITED = Prisma.sql`('received', 'working', 'settled')`;

/** After this many history entries, steps that move no money are no longer recorded (behaviour 9.14). */
export const LONGEST_HISTORY = 60;
/** Steps that repeat if a payment is sent again and again. */
const COSTS_NOTHING = Prisma.sql`('received', 'verified', 'working', 'rejected', 'work_failed')`;

/**
 * Appends the entered states to the row's history. It completes a statement whose first part is `moved`. Waiting
 * processes are notified when the attempt no longer has a driver. The commit of `settling` waits for the disk, so that
 * answer and intent are stored before the money is sent.
 * @param columns the columns to return
 * @param passed the intermediate state
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

/** When the chain is first read again for a settled or failed attempt: its block may vanish, or arrive late. */
export const FIRST_WATCH = Prisma.sql`interval '5 seconds'`;
/** SQL for `watch_at` in a statement that enters a state. */
export const watchFrom = (state: string): Prisma.Sql =>
  Prisma.sql`CASE WHEN ${state}::text IN ('settled', 'settle_failed') THEN now() + ${FIRST_WATCH} END`;

/** The columns for the payment that a row is bound to. */
export const BOUND_TO = Prisma.sql`pay_to, amount, valid_before, sku, resource, payload_digest, payment_identifier, payment`;
export function boundTo(vault: Vault, attempt: NewAttempt): Prisma.Sql {
  const { payTo, amount, validBefore, sku, resource, payloadDigest, paymentIdentifier } = attempt;
  const name = hashOfName(vault, paymentIdentifier);
  return Prisma.sql`${payTo}, ${amount}, ${validBefore}, ${sku}, ${withoutQuery(resource)}, ${payloadDigest}, ${name},
    ${sealPayment(vault, attempt)}::jsonb`;
}
