// What an unpaid request for a refresh is answered: `npm run bench -- challenge`.
import { finding } from './measuring/finding.mjs';
import { load } from './measuring/load.mjs';
import { inRounds, middle, ratio } from './measuring/rounds.mjs';
import { ownHeaders, putProgram } from './stage/put-program.mjs';
import { putSelling } from './stage/buyer.mjs';
import { putGateway, putWorker } from './stage/services.mjs';
import { onStage } from './stage/stage.mjs';
import { putPostgres, putRedis } from './stage/storage.mjs';
import { hostName, reportPath } from './stage/stored-hosts.mjs';

const ROUNDS = 5;
const SECONDS = 2;
/** Hosts asked for in turn: no answer may be kept from the one before. */
const HOSTS = 50;

export function measure() {
  return onStage(async (stage) => {
    const { url: databaseUrl } = await putPostgres(stage);
    const selling = await putSelling(stage);
    const env = { DATABASE_URL: databaseUrl, REDIS_URL: await putRedis(stage), ...selling };
    await putWorker(stage, env); // no payment is asked for while no worker lives
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
    const perSecond = (record) => record.perSecond;
    const processor = (record) => 1 / record.processorUs;
    const each = (figure) =>
      Object.fromEntries(Object.keys(targets).map((name) => [name, middle(records, name, figure)]));
    const line = (what, name, figure, more) =>
      finding({ what, figure: ratio(records, 'gateway', name, figure), unit: 'x', ...more });
    return [
      line('402 challenge', 'fastify', perSecond, {
        target: { atLeast: 0.75 },
        reference: 'bare Fastify, same bytes',
        detail: { bytes: Buffer.byteLength(body), perSecond: each(perSecond) },
      }),
      line('402 challenge', 'express', perSecond, { target: { atLeast: 3 }, reference: "@x402/express's challenge" }),
      line('  by processor time per answer', 'fastify', processor, {
        detail: { microseconds: each(({ processorUs }) => processorUs) },
      }),
      line('  by processor time per answer', 'express', processor, { reference: '@x402/express' }),
    ];
  });
}
