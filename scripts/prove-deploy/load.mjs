// Buyers behind a simple load balancer, which only sends requests to gateways that report that they are ready.
import { setTimeout as delay } from 'node:timers/promises';
import { makeSigner, paidBy } from '../../bench/stage/buyer.mjs';
import { hostNamed } from './world.mjs';

export const GATEWAYS = ['http://127.0.0.1:3000', 'http://127.0.0.1:3001'];
const CHECK_MS = 200;
const AFTER_MS = 3_000;
const READY_MS = 60_000;
const BUYERS = 3;
const TRIES = 5;
const PAUSE_MS = 100;
/** The hosts whose probes are bought, in turn. */
const NAMES = 40;
/** The price of a refresh in atomic USDC. */
export const PRICE = 20_000n;

const isReady = (url) =>
  fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
    async (answer) => (await answer.arrayBuffer(), answer.ok),
    () => false,
  );

/**
 * Buys a refresh, repeating the same request if an answer says so; resolves to the problem, if any. `send` sends a path
 * to a gateway, `again` is called for each answer that asks for a retry.
 */
export function makeBuyer(key) {
  const sign = makeSigner(key);
  return async (sendOnce, name, again = () => undefined) => {
    const send = async (...request) => {
      for (let tries = 1; ; tries += 1) {
        const answer = await sendOnce(...request);
        const seconds = Number(answer.headers.get('retry-after'));
        if (answer.status < 500 || !(seconds > 0) || tries === TRIES) return answer;
        again((await answer.json()).code);
        await delay(seconds * 1_000);
      }
    };
    const path = `/api/v1/hosts/${name}/refresh`;
    const challenge = await send(path);
    await challenge.arrayBuffer();
    if (challenge.status !== 402) return `the challenge of ${name} was ${challenge.status}`;
    const answer = await send(path, { headers: paidBy(await sign(challenge)) });
    const body = await answer.text();
    return answer.status === 200 ? undefined : `${name} was answered ${answer.status} ${body.slice(0, 200)}`;
  };
}

/** Buys one after the other, from each gateway in turn. */
export async function buySome(trial, count) {
  const failures = [];
  for (let number = 0; number < count; number += 1) {
    const send = (path, init) => fetch(`${GATEWAYS[number % 2]}${path}`, init);
    const failure = await trial.buy(send, hostNamed(number));
    if (failure === undefined) trial.sold += 1;
    else failures.push(failure);
  }
  return { failed: failures.length, failures };
}

function startLoad(buy) {
  const bought = { answered: 0, failures: [], patience: [] };
  let [ready, turn, stopped] = [GATEWAYS, 0, false];
  const send = (path, init) => {
    turn += 1;
    return fetch(`${ready[turn % ready.length] ?? GATEWAYS[0]}${path}`, init);
  };
  const check = async () => {
    while (!stopped) {
      const answers = await Promise.all(GATEWAYS.map(isReady));
      ready = GATEWAYS.filter((_, index) => answers[index]);
      await delay(CHECK_MS);
    }
  };
  let number = 0;
  const buyOn = async () => {
    while (!stopped) {
      const failure = await buy(send, hostNamed((number += 1) % NAMES), (code) => bought.patience.push(code)).catch(
        (error) => String(error.cause ?? error),
      );
      if (failure === undefined) bought.answered += 1;
      else bought.failures.push(failure);
      await delay(PAUSE_MS);
    }
  };
  const running = Promise.all([check(), ...Array.from({ length: BUYERS }, buyOn)]);
  return {
    bought,
    /** The gateways that report that they are ready. */
    ready: () => ready,
    stop: async () => ((stopped = true), await running, bought),
  };
}

/**
 * Runs work under paid load: the duration of the work in seconds, and the failures from its start until shortly after
 * its end.
 */
export async function underLoad(trial, work) {
  const load = startLoad(trial.buy);
  await delay(1_000);
  const started = performance.now();
  const note = await work(load);
  const seconds = (performance.now() - started) / 1_000;
  await delay(AFTER_MS);
  const { answered, failures, patience } = await load.stop();
  trial.sold += answered;
  return {
    seconds,
    failed: failures.length,
    failures,
    note: [
      `${answered} sold`,
      patience.length > 0 && `${patience.length} told to retry (${[...new Set(patience)].join(', ')})`,
      note,
    ]
      .filter(Boolean)
      .join('; '),
  };
}

/** Waits until both gateways report that they are ready. */
export async function backToReady(load) {
  const until = Date.now() + READY_MS;
  while (load.ready().length < GATEWAYS.length && Date.now() < until) await delay(100);
}
