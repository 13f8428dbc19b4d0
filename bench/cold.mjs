// A report that is not cached: `npm run bench -- cold`. More hosts are requested in turn than the cache holds, so that
// every answer is a miss and reads one row from Postgres.
import { compared, inRounds } from './measuring/figures.mjs';
import { load } from './measuring/load.mjs';
import { onStage, ownHeaders, putGateway, putPostgres, putProgram } from './stage/stage.mjs';
import { hostName, reportPath, storeHosts } from './stage/stored-hosts.mjs';

const HOSTS = 20_000;
const ROUNDS = 5;
const SECONDS = 3;

export function measure() {
  return onStage(async (stage) => {
    const { url: databaseUrl, database } = await putPostgres(stage, { fsync: 'off' }); // only read after it is filled
    await storeHosts(database.pool, HOSTS);
    const gateway = await putGateway(stage, { DATABASE_URL: databaseUrl });
    const paths = Array.from({ length: HOSTS }, (_, index) => reportPath(hostName(index + 1)));
    const answer = await fetch(`${gateway.url}${paths[0]}`);
    const bytes = (await answer.arrayBuffer()).byteLength;
    const bare = await putProgram(stage, 'reference/fastify-select', { databaseUrl, headers: ownHeaders(answer) });
    const targets = { gateway, select: bare };
    const records = await inRounds(Object.keys(targets), ROUNDS, (name) =>
      load({ url: targets[name].url, pid: targets[name].pid, paths }, { seconds: SECONDS }),
    );
    return compared(records, ['gateway', 'select'], 'cached report, cold (one row from Postgres)', {
      target: { atLeast: 0.8 },
      reference: 'bare Fastify and a prepared select of the row with pg',
      detail: { bytes },
    });
  });
}
