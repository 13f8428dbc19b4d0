import { createPrivateKey } from 'node:crypto';
import { newSigningKey, KEY_NOTICE_MS, KeyRing, publicJwkOf, thumbprintOf } from '@app/signing';
import type { ReportKeyRepository, StoredReportKey } from '@app/storage';
import type { OperatorCommand } from '../terminal/command';
import { CommandError, EXIT } from '../terminal/exit-codes';

type KeysCommand = Extract<OperatorCommand, { kind: 'keys' }>;

/**
 * Lists, renews or revokes the keys that sign statements. Gateways heed it within a minute. @returns what to print
 * @throws {CommandError} `usage` for an unknown key, and while a new key waits for its first day
 */
export async function keysCommand(
  keys: Pick<ReportKeyRepository, 'list' | 'add' | 'revoke'>,
  command: KeysCommand,
): Promise<string> {
  if (command.verb === 'list') return (await keys.list()).map(lineOf).join('');
  if (command.verb === 'rotate') return rotate(keys);
  if (!(await keys.revoke(command.kid, command.reason))) {
    throw new CommandError(EXIT.usage, `there is no key ${command.kid}; list shows their names`);
  }
  const signs = new KeyRing(await keys.list()).at(Date.now() / 1_000);
  const next = signs ? '' : `\n${await added(keys, new Date())}`;
  return `${command.kid} is revoked; statements signed with it are refused by who reads the document of keys${next}\n`;
}

async function rotate(keys: Pick<ReportKeyRepository, 'list' | 'add'>): Promise<string> {
  const waiting = (await keys.list()).find(({ signsFrom, revokedAt }) => revokedAt === null && signsFrom > new Date());
  if (waiting) {
    const sentence = `${waiting.kid} waits already; it signs from ${waiting.signsFrom.toISOString()}`;
    throw new CommandError(EXIT.usage, sentence);
  }
  return `${await added(keys, new Date(Date.now() + KEY_NOTICE_MS))}\n`;
}

async function added(keys: Pick<ReportKeyRepository, 'add'>, signsFrom: Date): Promise<string> {
  const pem = newSigningKey();
  const kid = thumbprintOf(publicJwkOf(createPrivateKey(pem)));
  await keys.add({ kid, pem, signsFrom });
  return `${kid} is published and signs from ${signsFrom.toISOString()}`;
}

function lineOf({ kid, signsFrom, revokedAt, revokedReason }: StoredReportKey): string {
  const end = revokedAt ? `revoked ${revokedAt.toISOString()}: ${revokedReason ?? ''}` : '';
  return `${kid}  from ${signsFrom.toISOString()}  ${end}`.trimEnd().concat('\n');
}
