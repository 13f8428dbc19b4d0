import type { DeliveryRepository, TroubledWatch } from '@app/storage';
import type { OperatorCommand } from '../terminal/command';
import { CommandError, EXIT } from '../terminal/exit-codes';

type WebhooksCommand = Extract<OperatorCommand, { kind: 'webhooks' }>;

/**
 * Lists watches whose receivers do not take their alerts, or sends these alerts again. @returns what to print
 * @throws {CommandError} `usage` for a watch that gets none
 */
export async function webhooksCommand(
  deliveries: Pick<DeliveryRepository, 'troubled' | 'replayAll'>,
  command: WebhooksCommand,
): Promise<string> {
  if (command.verb === 'list') return (await deliveries.troubled()).map(lineOf).join('');
  const sent = await deliveries.replayAll(command.watch);
  if (sent === undefined) {
    throw new CommandError(
      EXIT.usage,
      `no watch ${command.watch} runs whose receiver wants alerts; list shows their ids`,
    );
  }
  return `${sent} ${sent === 1 ? 'alert is' : 'alerts are'} due now, under the same ids\n`;
}

function lineOf({ id, domain, receiver, state, reason, failingSince, due, givenUp, outcome }: TroubledWatch): string {
  const fails = failingSince ? `fails since ${failingSince.toISOString()}` : 'does not fail';
  const ended = reason === null ? state : `${state} (${reason})`;
  return `${id}  ${domain} to ${receiver}  ${ended}, ${fails}, ${due} due, ${givenUp} given up, last ${outcome ?? 'not tried'}\n`;
}
