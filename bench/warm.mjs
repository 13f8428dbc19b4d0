// A cached report, asked for again and again: `npm run bench -- warm`.
import { finding } from './measuring/finding.mjs';
import { load } from './measuring/load.mjs';
import { inRounds, middle, ratio } from './measuring/rounds.mjs';
import { ownHeaders, putProgram } from './stage/put-program.mjs';
import { putGateway } from './stage/services.mjs';
import { onStage } from './stage/stage.mjs';
import { putPostgres } from './stage/storage.mjs';
import { hostName, reportPath, storeHosts } from './stage/stored-hosts.mjs';

const ROUNDS = 5;
const SECONDS = 2;
/** The load asks for no coding either, and another coding has another tag. */
const AS_IT_IS = { headers: { 'accept-encoding': 'identity' } };

/**
 * @param path of what is read of a host, by its name
 * @param known whether the caller names the ETag it has, so that the answer is a 304
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
    const perSecond = (record) => record.perSecond;
    const processor = (record) => 1 / record.processorUs;
    return [
      finding({
        what,
        figure: ratio(records, 'gateway', 'fastify', perSecond),
        unit: 'x',
        target: { atLeast: 0.85 },
        reference,
        detail: {
          bytes: Buffer.byteLength(body),
          gatewayPerSecond: middle(records, 'gateway', perSecond),
          fastifyPerSecond: middle(records, 'fastify', perSecond),
          gatewayP99Ms: middle(records, 'gateway', ({ latencies }) => latencies.p99),
        },
      }),
      finding({
        what: '  the same by processor time per answer',
        figure: ratio(records, 'gateway', 'fastify', processor),
        unit: 'x',
        detail: {
          gatewayUs: middle(records, 'gateway', ({ processorUs }) => processorUs),
          fastifyUs: middle(records, 'fastify', ({ processorUs }) => processorUs),
        },
      }),
    ];
  });
}

export const PREBUILT = 'bare Fastify, same bytes as a prebuilt string';

export const measure = () => measureReads({ what: 'cached report, warm (GET, 64 connections)', reference: PREBUILT });
