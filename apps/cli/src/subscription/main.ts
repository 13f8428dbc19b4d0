import { Database, SubscriptionRepository } from '@app/persistence';
import { databaseUrl } from '../running-service';
import { subscriptionCommand } from './subscription-command';

/** The operator's command: `npm run subscription -- grant <domain> [--days N] | list | revoke <id>`. */
async function main(args: readonly string[]): Promise<string> {
  const database = new Database(databaseUrl(process.env), { maxConnections: 1 });
  try {
    return await subscriptionCommand(new SubscriptionRepository(database), args);
  } finally {
    await database.close();
  }
}

main(process.argv.slice(2)).then(
  (sentence) => process.stdout.write(sentence),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
