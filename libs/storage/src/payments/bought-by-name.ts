import type { Database } from '../database/database';
import { hashOfName } from './sealed-payment';

/**
 * Whether the first request with a payment gave the purchase this name. The payment itself is no secret (the
 * facilitator gets it, and it is public once settled), but the name is known only to the buyer.
 */
export async function boughtByName(
  { prisma, secrets }: Database,
  sku: 'watch' | 'subscription',
  payloadDigest: string,
  name: string | null,
): Promise<boolean> {
  if (name === null) return false;
  const paymentIdentifier = hashOfName(await secrets.vault(), name);
  const where = { payloadDigest, sku, paymentIdentifier, namedFirst: true };
  return (await prisma.paymentAttempt.findFirst({ where, select: { id: true } })) !== null;
}
