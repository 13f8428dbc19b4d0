import { openTransferReader } from '@app/chain';
import { loadConfig } from '@app/config';
import { NETWORKS } from '@app/payments';
import { Database, LedgerAuditRepository, type LedgerScope } from '@app/persistence';
import { withRunningService } from '../running-service';
import { readLedgerArguments } from './ledger-arguments';
import { checkLedger } from './ledger-check';
import { ledgerScreen } from './ledger-screen';

/** `npm run ledger -- check`: 0 when ledger, answers and chain agree, 1 when they do not, 2 when that is not known. */
async function main(args: readonly string[]): Promise<number> {
  const asked = readLedgerArguments(args);
  const config = loadConfig(withRunningService(process.env));
  if (!config.seller) throw new Error('set X402_PAY_TO: the ledger is compared with what that account was paid');
  const { id: network, chainId, usdc } = NETWORKS[config.seller.network];
  const rpcUrls = config.rpc[chainId];
  if (rpcUrls.length === 0) throw new Error(`set RPC_URL_${chainId}: the ledger is compared with the chain`);
  const scope: LedgerScope = { network, asset: usdc.address, payTo: config.seller.payTo };
  const database = new Database(config.database.url, { maxConnections: 2 });
  try {
    const chain = await openTransferReader(rpcUrls);
    const parts = { scope, ledger: new LedgerAuditRepository(database), chain };
    const report = await checkLedger(parts, asked);
    process.stdout.write(ledgerScreen(scope, report));
    return report.differences.length === 0 ? 0 : 1;
  } finally {
    await database.close();
  }
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  },
);
