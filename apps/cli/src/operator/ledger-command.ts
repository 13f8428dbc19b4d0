import {
  openTransferReader,
  atomicToUsd,
  type Difference,
  type IncomingTransfer,
  type LedgerEntry,
  type Sum,
} from '@app/payments';
import { loadConfig } from '@app/config';
import { CHAINS } from '@app/networks';
import { LedgerAuditRepository, type Database, type LedgerScope } from '@app/storage';
import type { Terminal } from '../terminal/terminal';
import type { OperatorCommand } from '../terminal/command';
import { CommandError, EXIT, type ExitCode } from '../terminal/exit-codes';
import { withRunningService } from '../terminal/running-service';
import { checkLedger, type LedgerCheckDeps, type LedgerReport } from './ledger-check';

type LedgerCommand = Extract<OperatorCommand, { kind: 'ledger' }>;

/**
 * Compares the ledger, the stored answers and the chain, and prints the result.
 * @throws {CommandError} `usage` if they cannot be compared, which says nothing about the payments
 */
export async function ledgerCommand(
  database: Database,
  command: LedgerCommand,
  { env, say }: Pick<Terminal, 'env' | 'say'>,
): Promise<ExitCode> {
  try {
    const deps = { ...(await chainOf(withRunningService(env))), ledger: new LedgerAuditRepository(database) };
    const report = await checkLedger(deps, command);
    say(ledgerScreen(deps.scope, report));
    return report.differences.length === 0 ? EXIT.done : EXIT.failed;
  } catch (error) {
    throw new CommandError(EXIT.usage, error instanceof Error ? error.message : String(error));
  }
}

/** @throws {Error} if the variables do not name an account and a node, or no node answers */
async function chainOf(env: Terminal['env']): Promise<Omit<LedgerCheckDeps, 'ledger'>> {
  const { seller, rpc } = loadConfig(env);
  if (!seller) throw new Error('set X402_PAY_TO, the account whose payments are compared with the ledger');
  const { network, payTo } = seller;
  const { rpcVariable, usdc } = CHAINS[network];
  const rpcUrls = rpc[network];
  if (rpcUrls.length === 0) throw new Error(`set ${rpcVariable}, the node that reads the chain`);
  const scope: LedgerScope = { network, asset: usdc.address, payTo };
  return { scope, chain: await openTransferReader(rpcUrls) };
}

/** The output: totals of the three sides, open attempts, and one line per difference. */
function ledgerScreen({ network, payTo }: LedgerScope, report: LedgerReport): string {
  const { range, chain, ledger, answers, open, differences } = report;
  const landed = open.filter(({ transfer }) => transfer !== null);
  const lines = [
    `USDC to ${payTo} on ${network}, blocks ${range.fromBlock} to ${range.toBlock}`,
    `chain    ${money(chain)} in transfers`,
    `ledger   ${money(ledger)} in settled attempts`,
    `answers  ${answers} stored`,
    `open     ${open.length} attempts, ${landed.length} of them already transferred on the chain`,
    ...landed.map(({ entry, transfer }) => `  open  ${nameOf(entry)}${transfer ? `, ${placeOf(transfer)}` : ''}`),
    differences.length === 0 ? 'no differences' : `differences: ${differences.length}`,
    ...differences.map((difference) => `  ${difference.kind}  ${describe(difference)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function describe(difference: Difference): string {
  switch (difference.kind) {
    case 'settled_without_transfer':
      return `${nameOf(difference.entry)} names transaction ${difference.entry.transaction ?? 'none'}`;
    case 'settled_without_answer':
      return nameOf(difference.entry);
    case 'settled_twice':
      return `${nameOf(difference.entry)}, ${difference.times} times`;
    case 'transfer_without_settlement': {
      const { entry, transfer } = difference;
      return `${placeOf(transfer)}; ${entry ? nameOf(entry) : 'no attempt'}`;
    }
    case 'amount_mismatch':
    case 'payer_mismatch':
    case 'transaction_mismatch':
      return `${nameOf(difference.entry)}; the chain has ${placeOf(difference.transfer)}`;
  }
}

function nameOf({ id, state, amount, payer }: LedgerEntry): string {
  return `attempt ${id} (${state}, ${atomicToUsd(amount)} of ${payer})`;
}

function placeOf({ transaction, block, payer, amount, nonce }: IncomingTransfer): string {
  const under = nonce === null ? 'without an authorization' : `under authorization ${nonce}`;
  return `${atomicToUsd(amount)} of ${payer} ${under} in ${transaction}, block ${block}`;
}

function money({ count, atomic }: Sum): string {
  return `${atomicToUsd(atomic)} USDC, ${count}`;
}
