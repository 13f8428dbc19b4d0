import type { Database } from '../database/database';
import { hashOfName } from './sealed-payment';

/**
 * Whether the first request with a payment gave the purchase this name: of the payment itself nothing is secret, since it is
 * sent to the facilitator and once settled on the chain. Without a name nobody knows it.
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
