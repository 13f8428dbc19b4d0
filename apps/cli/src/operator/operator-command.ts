import {
  CensusRepository,
  Database,
  DeliveryRepository,
  EvidenceRepository,
  HostRepository,
  LedgerAuditRepository,
  OptOutRepository,
  refuseOlderDatabase,
  ReportKeyRepository,
  SubscriptionRepository,
} from '@app/storage';
import type { Terminal } from '../terminal/terminal';
import type { OperatorCommand } from '../terminal/command';
import { EXIT, type ExitCode } from '../terminal/exit-codes';
import { databaseOf } from '../terminal/running-service';
import { censusCommand } from './census-command';
import { keysCommand } from './keys-command';
import { ledgerCommand } from './ledger-command';
import { rejudgeCommand } from './rejudge-command';
import { subscriptionCommand } from './subscription-command';
import { webhooksCommand } from './webhooks-command';

/** Runs a command that works on the database of a service. @throws {CommandError} | what the database throws */
export async function runOperator(command: OperatorCommand, terminal: Terminal): Promise<ExitCode> {
  const { url, ...storage } = databaseOf(terminal.env);
  await refuseOlderDatabase(url);
  const database = new Database(url, { ...storage, maxConnections: 2, statementMs: null });
  try {
    switch (command.kind) {
      case 'census':
        await censusCommand({ census: new CensusRepository(database), database }, command, terminal);
        return EXIT.done;
      case 'ledger':
        return await ledgerCommand(new LedgerAuditRepository(database), command, terminal);
      case 'rejudge':
        await rejudgeCommand(
          { hosts: new HostRepository(database), evidence: new EvidenceRepository(database) },
          command,
          terminal,
        );
        return EXIT.done;
      case 'subscription':
        terminal.say(await subscriptionCommand(new SubscriptionRepository(database), command));
        return EXIT.done;
      case 'keys':
        terminal.say(await keysCommand(new ReportKeyRepository(database), command));
        return EXIT.done;
      case 'webhooks':
        terminal.say(await webhooksCommand(new DeliveryRepository(database), command));
        return EXIT.done;
      case 'opt-out':
        terminal.say(await optOutCommand(new OptOutRepository(database), command));
        return EXIT.done;
      case 'withhold': {
        const removed = await new OptOutRepository(database).withhold(command.host.ascii);
        terminal.say(
          `the stored documents of ${hostsOf(removed)} were removed; bundles say that it was on a legal request\n`,
        );
        return EXIT.done;
      }
    }
  } finally {
    await database.close();
  }
}

type OptOutCommand = Extract<OperatorCommand, { kind: 'opt-out' }>;

/** Adds, removes or lists the hosts that are never probed. @returns what to print */
async function optOutCommand(
  list: Pick<OptOutRepository, 'add' | 'remove' | 'list'>,
  command: OptOutCommand,
): Promise<string> {
  if (command.verb === 'list') return (await list.list()).map((domain) => `${domain}\n`).join('');
  const { ascii } = command.host;
  if (command.verb === 'remove') {
    return (await list.remove(ascii)) ? `${ascii} may be probed again\n` : `${ascii} was not on the list\n`;
  }
  const removed = await list.add(ascii);
  return (
    `${ascii} and every name below it are not probed any more; all processes heed it within ten seconds; ` +
    `the stored documents of ${hostsOf(removed)} were removed\n`
  );
}

function hostsOf(count: number): string {
  return `${count} ${count === 1 ? 'host' : 'hosts'}`;
}
