// The answer to an unpaid request for a refresh: `npm run bench -- challenge`.
import { compared, inRounds } from './measuring/figures.mjs';
import { load } from './measuring/load.mjs';
import {
  onStage,
  ownHeaders,
  putGateway,
  putPostgres,
  putProgram,
  putRedis,
  putSelling,
  putWorker,
} from './stage/stage.mjs';
import { hostName, reportPath } from './stage/stored-hosts.mjs';

const ROUNDS = 5;
const SECONDS = 2;
/** Hosts are requested in turn, so that no answer comes from the cache. */
const HOSTS = 50;

export function measure() {
  return onStage(async (stage) => {
    const { url: databaseUrl } = await putPostgres(stage);
    const selling = await putSelling(stage);
    const env = { DATABASE_URL: databaseUrl, REDIS_URL: await putRedis(stage), ...selling };
    await putWorker(stage, env); // without a worker, no payment is requested
    const gateway = await putGateway(stage, env);
    const paths = Array.from({ length: HOSTS }, (_, index) => `${reportPath(hostName(index + 1))}/refresh`);
    const answer = await fetch(`${gateway.url}${paths[0]}`);
    const body = await answer.text();
    const bare = await putProgram(stage, 'reference/fastify-answer', {
      status: 402,
      headers: ownHeaders(answer),
      body,
    });
    const middleware = await putProgram(stage, 'reference/express-challenge', { payTo: selling.X402_PAY_TO });
    const targets = { gateway, fastify: bare, express: middleware };
    const records = await inRounds(Object.keys(targets), ROUNDS, (name) =>
      load({ url: targets[name].url, pid: targets[name].pid, paths }, { seconds: SECONDS, expect: 402 }),
    );
    return [
      ...compared(records, ['gateway', 'fastify'], '402 challenge', {
        target: { atLeast: 0.75 },
        reference: 'bare Fastify, same bytes',
        detail: { bytes: Buffer.byteLength(body) },
      }),
      ...compared(records, ['gateway', 'express'], '402 challenge', {
        target: { atLeast: 3 },
        reference: "@x402/express's challenge",
      }),
    ];
  });
}
