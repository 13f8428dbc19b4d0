import { parseArgs } from 'node:util';
import type { SubscriptionRepository } from '@app/persistence';
import { HostName } from '@app/reports';
import { keyHash, randomKey, SUBSCRIPTION_DAYS, subscriptionStatus, type Subscription } from '@app/subscriptions';

const USAGE = 'usage: npm run subscription -- grant <domain> [--days N] | list | revoke <id>';
const MAX_DAYS = 3_660;

/** Carries out one command. @returns what to say on the screen @throws {Error} with a sentence for the operator */
export async function subscriptionCommand(
  subscriptions: Pick<SubscriptionRepository, 'grant' | 'list' | 'revoke'>,
  args: readonly string[],
): Promise<string> {
  const [verb, name, days] = read(args);
  if (verb === 'list' && name === undefined && days === undefined) {
    return (await subscriptions.list()).map(lineOf).join('');
  }
  if (verb === 'grant' && name !== undefined) return grant(subscriptions, name, days);
  if (verb !== 'revoke' || name === undefined || days !== undefined) throw new Error(USAGE);
  const revoked = await subscriptions.revoke(name);
  if (!revoked) throw new Error(`there is no subscription ${name}; list shows their ids`);
  return `the subscription of ${revoked.domain} is revoked, its key and its wallet are refused from now on\n`;
}

async function grant(
  subscriptions: Pick<SubscriptionRepository, 'grant'>,
  name: string,
  days = String(SUBSCRIPTION_DAYS),
): Promise<string> {
  const reading = HostName.parse(name);
  if (!reading.ok) throw new Error(reading.sentence);
  const count = /^\d{1,4}$/.test(days) ? Number(days) : 0;
  if (count < 1 || count > MAX_DAYS) throw new Error(`--days must be a whole number, 1 to ${MAX_DAYS}`);
  const key = randomKey();
  const hash = keyHash(key);
  if (hash === undefined) throw new Error('a new key is a key');
  const { domain, id, expiresAt } = await subscriptions.grant(reading.host.ascii, hash, count);
  return `${domain} until ${expiresAt.toISOString()}, id ${id}\nkey, shown only now: ${key}\n`;
}

function read(args: readonly string[]): readonly [verb: string, name: string | undefined, days: string | undefined] {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: { days: { type: 'string' } },
      allowPositionals: true,
    });
    const [verb, name, ...rest] = positionals;
    if (verb === undefined || rest.length > 0) throw new Error(USAGE);
    return [verb, name, values.days];
  } catch {
    throw new Error(USAGE);
  }
}

function lineOf(subscription: Subscription): string {
  const { id, domain, payer, expiresAt } = subscription;
  const status = subscriptionStatus(subscription, new Date());
  return `${id}  ${status.padEnd(7)}  ${expiresAt.toISOString()}  ${domain}  ${payer ?? 'granted'}\n`;
}
