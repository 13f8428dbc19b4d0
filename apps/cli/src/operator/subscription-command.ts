import type { SubscriptionRepository } from '@app/storage';
import { keyHash, randomKey, SUBSCRIPTION_DAYS, subscriptionStatus, type Subscription } from '@app/owners';
import type { OperatorCommand } from '../terminal/command';
import { CommandError, EXIT } from '../terminal/exit-codes';

type SubscriptionCommand = Extract<OperatorCommand, { kind: 'subscription' }>;

/** Grants, lists or revokes subscriptions. @returns what to print @throws {CommandError} `usage` for an unknown id */
export async function subscriptionCommand(
  subscriptions: Pick<SubscriptionRepository, 'grant' | 'list' | 'revoke'>,
  command: SubscriptionCommand,
): Promise<string> {
  if (command.verb === 'list') return (await subscriptions.list()).map(lineOf).join('');
  if (command.verb === 'revoke') {
    const revoked = await subscriptions.revoke(command.id);
    if (!revoked) throw new CommandError(EXIT.usage, `there is no subscription ${command.id}; list shows their ids`);
    return `the subscription of ${revoked.domain} is revoked, its key and its wallet are refused from now on\n`;
  }
  const key = randomKey();
  const hash = keyHash(key);
  if (hash === undefined) throw new Error('a new key is a key');
  const { domain, id, expiresAt } = await subscriptions.grant(
    command.host.ascii,
    hash,
    command.days ?? SUBSCRIPTION_DAYS,
  );
  return `${domain} until ${expiresAt.toISOString()}, id ${id}\nkey, shown only now: ${key}\n`;
}

function lineOf(subscription: Subscription): string {
  const { id, domain, payer, expiresAt } = subscription;
  const status = subscriptionStatus(subscription, new Date());
  return `${id}  ${status.padEnd(7)}  ${expiresAt.toISOString()}  ${domain}  ${payer ?? 'granted'}\n`;
}
