// A cached report, requested repeatedly: `npm run bench -- warm`.
import { compared, inRounds } from './measuring/figures.mjs';
import { load } from './measuring/load.mjs';
import { onStage, ownHeaders, putGateway, putPostgres, putProgram } from './stage/stage.mjs';
import { hostName, reportPath, storeHosts } from './stage/stored-hosts.mjs';

const ROUNDS = 5;
const SECONDS = 2;
/** The load accepts no coding, because another coding has another tag. */
const AS_IT_IS = { headers: { 'accept-encoding': 'identity' } };

/**
 * @param path gives the path for a host name
 * @param known whether the caller sends the ETag, so that the answer is a 304
 */
export function measureReads({ what, reference, path = reportPath, known = false }) {
  return onStage(async (stage) => {
    const { url: databaseUrl, database } = await putPostgres(stage);
    await storeHosts(database.pool, 10);
    const gateway = await putGateway(stage, { DATABASE_URL: databaseUrl });
    const url = `${gateway.url}${path(hostName(1))}`;
    const answer = await fetch(url, AS_IT_IS);
    const body = await answer.text();
    const headers = ownHeaders(answer);
    const bare = await putProgram(stage, 'reference/fastify-answer', { status: 200, headers, body });
    const asked = known ? { headers: { 'if-none-match': headers.etag } } : {};
    const targets = {
      gateway: { url, pid: gateway.pid, ...asked },
      fastify: { url: `${bare.url}${path(hostName(1))}`, pid: bare.pid, ...asked },
    };
    const records = await inRounds(Object.keys(targets), ROUNDS, (name) =>
      load(targets[name], { seconds: SECONDS, expect: known ? 304 : 200 }),
    );
    return compared(records, ['gateway', 'fastify'], what, {
      target: { atLeast: 0.85 },
      reference,
      detail: { bytes: Buffer.byteLength(body) },
    });
  });
}

export const PREBUILT = 'bare Fastify, same bytes as a prebuilt string';

export const measure = () => measureReads({ what: 'cached report, warm (GET, 64 connections)', reference: PREBUILT });
