import { openTransferReader } from '@app/payments';
import { loadConfig } from '@app/config';
import { CHAINS } from '@app/networks';
import type { LedgerAuditRepository, LedgerScope } from '@app/storage';
import type { Terminal } from '../terminal/terminal';
import type { OperatorCommand } from '../terminal/command';
import { CommandError, EXIT, type ExitCode } from '../terminal/exit-codes';
import { withRunningService } from '../terminal/running-service';
import { checkLedger, type LedgerCheckDeps } from './ledger-check';
import { ledgerScreen } from './ledger-screen';

type LedgerCommand = Extract<OperatorCommand, { kind: 'ledger' }>;

/**
 * Compares ledger, stored answers and chain, and prints the comparison.
 * @throws {CommandError} `usage` when they cannot be compared: then nothing is known about them
 */
export async function ledgerCommand(
  ledger: LedgerAuditRepository,
  command: LedgerCommand,
  { env, say }: Pick<Terminal, 'env' | 'say'>,
): Promise<ExitCode> {
  try {
    const deps = { ...(await chainOf(withRunningService(env))), ledger };
    const report = await checkLedger(deps, command);
    say(ledgerScreen(deps.scope, report));
    return report.differences.length === 0 ? EXIT.done : EXIT.gateFailed;
  } catch (error) {
    throw new CommandError(EXIT.usage, error instanceof Error ? error.message : String(error));
  }
}

/** @throws {Error} when the variables name no account or no node, or no node answers */
async function chainOf(env: Terminal['env']): Promise<Omit<LedgerCheckDeps, 'ledger'>> {
  const { seller, rpc } = loadConfig(env);
  if (!seller) throw new Error('set X402_PAY_TO: the ledger is compared with what that account was paid');
  const { network, payTo } = seller;
  const { rpcVariable, usdc } = CHAINS[network];
  const rpcUrls = rpc[network];
  if (rpcUrls.length === 0) throw new Error(`set ${rpcVariable}: the ledger is compared with the chain`);
  const scope: LedgerScope = { network, asset: usdc.address, payTo };
  return { scope, chain: await openTransferReader(rpcUrls) };
}
