import { createPrivateKey } from 'node:crypto';
import { keyHash, newKey, SUBSCRIPTION_DAYS, subscriptionStatus, type Subscription } from '@app/owners';
import { KEY_NOTICE_MS, KeyRing, newSigningKey, publicJwkOf, thumbprintOf } from '@app/signing';
import {
  Database,
  DeliveryRepository,
  OptOutRepository,
  refuseOlderDatabase,
  ReportKeyRepository,
  SubscriptionRepository,
  type StoredReportKey,
  type TroubledWatch,
} from '@app/storage';
import type { OperatorCommand } from '../terminal/command';
import { CommandError, EXIT, type ExitCode } from '../terminal/exit-codes';
import { databaseOf } from '../terminal/running-service';
import type { Terminal } from '../terminal/terminal';
import { censusCommand } from './census-command';
import { ledgerCommand } from './ledger-command';
import { rejudgeCommand } from './rejudge-command';

/** Runs a command on the database of a service. @throws {CommandError} | any error of the database */
export async function runOperator(command: OperatorCommand, terminal: Terminal): Promise<ExitCode> {
  const { url, ...storage } = databaseOf(terminal.env);
  await refuseOlderDatabase(url);
  const database = new Database(url, { ...storage, maxConnections: 2, statementMs: null });
  try {
    if (command.kind === 'ledger') return await ledgerCommand(database, command, terminal);
    if (command.kind === 'census') await censusCommand(database, command, terminal);
    else if (command.kind === 'rejudge') await rejudgeCommand(database, command, terminal);
    else {
      const text = await said(database, command);
      if (text === '') terminal.complain('none\n');
      else terminal.say(text);
    }
    return EXIT.done;
  } finally {
    await database.close();
  }
}

type Of<Kind extends OperatorCommand['kind']> = Extract<OperatorCommand, { kind: Kind }>;

/**
 * Runs a command that does one thing, and returns its output; empty for an empty list.
 * @throws {CommandError} `usage` for an unknown id
 */
function said(
  database: Database,
  command: Of<'subscription' | 'keys' | 'webhooks' | 'opt-out' | 'withhold'>,
): Promise<string> {
  switch (command.kind) {
    case 'subscription':
      return subscriptionText(new SubscriptionRepository(database), command);
    case 'keys':
      return keysText(new ReportKeyRepository(database), command);
    case 'webhooks':
      return webhooksText(new DeliveryRepository(database), command);
    case 'opt-out':
      return optOutText(new OptOutRepository(database), command);
    case 'withhold':
      return withholdText(new OptOutRepository(database), command);
  }
}

async function subscriptionText(subscriptions: SubscriptionRepository, command: Of<'subscription'>): Promise<string> {
  if (command.verb === 'list') return (await subscriptions.list()).map(subscriptionLine).join('');
  if (command.verb === 'revoke') {
    const revoked = await subscriptions.revoke(command.id);
    if (!revoked)
      throw new CommandError(EXIT.usage, `there is no subscription ${command.id}; "subscription list" shows the ids`);
    return `Revoked the subscription of ${revoked.domain}. Its key and its wallet no longer work.\n`;
  }
  const key = newKey('subscription');
  const { domain, id, endsAt } = await subscriptions.grant(
    command.host.ascii,
    keyHash(key),
    command.days ?? SUBSCRIPTION_DAYS,
  );
  return `${domain} until ${endsAt.toISOString()}, id ${id}\nkey (shown only once): ${key}\n`;
}

function subscriptionLine(subscription: Subscription): string {
  const { id, domain, payer, endsAt } = subscription;
  const status = subscriptionStatus(subscription, new Date());
  return `${id}  ${status.padEnd(7)}  ${endsAt.toISOString()}  ${domain}  ${payer ?? 'granted'}\n`;
}

/** Gateways apply the change within a minute. */
async function keysText(keys: ReportKeyRepository, command: Of<'keys'>): Promise<string> {
  if (command.verb === 'list') return (await keys.list()).map(keyLine).join('');
  if (command.verb === 'rotate') return rotate(keys);
  if (!(await keys.revoke(command.kid, command.reason))) {
    throw new CommandError(EXIT.usage, `there is no key ${command.kid}; "keys list" shows the names`);
  }
  const signs = new KeyRing(await keys.list()).at(Date.now() / 1_000);
  const next = signs ? '' : `\n${await added(keys, new Date())}`;
  return `Revoked ${command.kid}. Anyone who fetches the published keys now rejects statements signed with it.${next}\n`;
}

async function rotate(keys: ReportKeyRepository): Promise<string> {
  const waiting = (await keys.list()).find(({ signsFrom, revokedAt }) => revokedAt === null && signsFrom > new Date());
  if (waiting) {
    const sentence = `a new key is already waiting: ${waiting.kid} signs from ${waiting.signsFrom.toISOString()}`;
    throw new CommandError(EXIT.usage, sentence);
  }
  return `${await added(keys, new Date(Date.now() + KEY_NOTICE_MS))}\n`;
}

async function added(keys: ReportKeyRepository, signsFrom: Date): Promise<string> {
  const pem = newSigningKey();
  const kid = thumbprintOf(publicJwkOf(createPrivateKey(pem)));
  await keys.add({ kid, pem, signsFrom });
  return `${kid} is published and signs from ${signsFrom.toISOString()}`;
}

function keyLine({ kid, signsFrom, revokedAt, revokedReason }: StoredReportKey): string {
  const end = revokedAt ? `revoked ${revokedAt.toISOString()}: ${revokedReason ?? ''}` : '';
  return `${kid}  from ${signsFrom.toISOString()}  ${end}`.trimEnd().concat('\n');
}

/** Lists or replays the alerts that failed. */
async function webhooksText(deliveries: DeliveryRepository, command: Of<'webhooks'>): Promise<string> {
  if (command.verb === 'list') return (await deliveries.troubled()).map(watchLine).join('');
  const sent = await deliveries.replayAll(command.watch);
  if (sent === undefined) {
    throw new CommandError(
      EXIT.usage,
      `there is no active watch ${command.watch} that takes alerts; "webhooks list" shows the ids`,
    );
  }
  return `Sending ${sent} ${sent === 1 ? 'alert' : 'alerts'} again, with the same ids\n`;
}

function watchLine(watch: TroubledWatch): string {
  const { failingSince, state, reason } = watch;
  const fails = failingSince ? `failing since ${failingSince.toISOString()}` : 'working';
  const ended = reason === null ? state : `${state} (${reason})`;
  const counts = `${watch.due} due, ${watch.givenUp} given up, last attempt: ${watch.outcome ?? 'none'}`;
  return `${watch.id}  ${watch.domain} to ${watch.receiver}  ${ended}, ${fails}, ${counts}\n`;
}

async function optOutText(list: OptOutRepository, command: Of<'opt-out'>): Promise<string> {
  if (command.verb === 'list') return (await list.list()).map((domain) => `${domain}\n`).join('');
  const { ascii } = command.host;
  if (command.verb === 'remove') {
    return (await list.remove(ascii))
      ? `Removed the opt-out of ${ascii}. It may be probed again.\n`
      : `${ascii} was not opted out.\n`;
  }
  const removed = await list.add(ascii);
  return (
    `Opted out ${ascii} and its subdomains. In effect within 10 seconds. ` +
    `Removed the stored documents of ${hostsOf(removed)}.\n`
  );
}

async function withholdText(list: OptOutRepository, { host }: Of<'withhold'>): Promise<string> {
  const removed = hostsOf(await list.withhold(host.ascii));
  return `Removed the stored documents of ${removed}. Evidence bundles mark them "legal".\n`;
}

function hostsOf(count: number): string {
  return `${count} ${count === 1 ? 'host' : 'hosts'}`;
}
