// The signed statement about a host, requested repeatedly and for the first time: `npm run bench -- statement`.
import { at, finding, median, timed } from './measuring/figures.mjs';
import { onStage, putGateway, putPostgres } from './stage/stage.mjs';
import { hostName, reportPath, storeHosts } from './stage/stored-hosts.mjs';
import { measureReads, PREBUILT } from './warm.mjs';

const HOSTS = 500;
const WARM_UP = 50;

const statementPath = (name) => `${reportPath(name)}/statement`;

const read = (url) =>
  timed(async () => {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
  });

/** One request after the other with a cached report; the time beyond the round trip is the signature. */
function measureFirst() {
  return onStage(async (stage) => {
    const { url: databaseUrl, database } = await putPostgres(stage);
    await storeHosts(database.pool, HOSTS);
    const gateway = await putGateway(stage, { DATABASE_URL: databaseUrl });
    const [first, again] = [[], []];
    for (let index = 1; index <= HOSTS; index += 1) {
      await read(`${gateway.url}${reportPath(hostName(index))}`);
      const url = `${gateway.url}${statementPath(hostName(index))}`;
      const taken = [await read(url), await read(url)];
      if (index <= WARM_UP) continue;
      first.push(taken[0]);
      again.push(taken[1]);
    }
    return finding('first signature of a statement, kept and sent, median', median(first) - median(again), 'ms', {
      target: { atMost: 2 },
      detail: { firstMs: median(first), againMs: median(again), p99Ms: at(first, 0.99) },
    });
  });
}

export const measure = async () => [
  ...(await measureReads({ what: 'statement, warm (GET, 64 connections)', reference: PREBUILT, path: statementPath })),
  await measureFirst(),
];
