import { Database, OptOutRepository } from '@app/persistence';
import { HostName } from '@app/reports';
import { databaseUrl } from '../running-service';

const USAGE = 'usage: npm run opt-out -- add <domain> | remove <domain> | list';

/** The operator's command: adds, removes or lists the hosts that are never probed. */
async function main([verb, name]: readonly string[]): Promise<string> {
  const database = new Database(databaseUrl(process.env), { maxConnections: 1 });
  try {
    return await carryOut(new OptOutRepository(database), verb, name);
  } finally {
    await database.close();
  }
}

/** @returns what to say on the screen */
async function carryOut(list: OptOutRepository, verb: string | undefined, name: string | undefined): Promise<string> {
  if (verb === 'list' && name === undefined) return (await list.list()).map((domain) => `${domain}\n`).join('');
  if ((verb !== 'add' && verb !== 'remove') || name === undefined) throw new Error(USAGE);
  const reading = HostName.parse(name);
  if (!reading.ok) throw new Error(reading.sentence);
  const { ascii } = reading.host;
  if (verb === 'remove') {
    return (await list.remove(ascii)) ? `${ascii} may be probed again\n` : `${ascii} was not on the list\n`;
  }
  await list.add(ascii);
  return `${ascii} and every name below it are not probed any more; all processes heed it within ten seconds\n`;
}

main(process.argv.slice(2)).then(
  (sentence) => process.stdout.write(sentence),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
