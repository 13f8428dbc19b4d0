// Refreshes that are paid for, in calm and beside a census: one after the other, at hosts that take 50 ms for every answer.
import { setTimeout as delay } from 'node:timers/promises';
import { makeBuyer, putSelling } from '../../bench/stage/buyer.mjs';
import { putGateway } from '../../bench/stage/services.mjs';
import { reportPath } from '../../bench/stage/stored-hosts.mjs';
import { storeName } from './names.mjs';

const WARM_UP = 10;
const CALM = 40;
const PAUSE_MS = 3_000;

/** Buys the calm ones. `beside()` buys on until the function it returns is called, which tells the milliseconds of all. */
export async function putRefreshes(stage, env) {
  const gateway = await putGateway(stage, { ...env, ...(await putSelling(stage)) }, { core: null });
  const buy = makeBuyer();
  let bought = 0;
  async function buyUntil(enough) {
    const times = [];
    while (!enough(times.length)) {
      times.push((await buy(`${gateway.url}${reportPath(storeName(bought))}/refresh`)).ms);
      bought += 1;
      await delay(PAUSE_MS);
    }
    return times;
  }
  await buyUntil((count) => count === WARM_UP);
  const calm = await buyUntil((count) => count === CALM);
  return {
    beside: () => {
      let over = false;
      const beside = buyUntil(() => over);
      beside.catch(() => undefined); // told at the end
      return async () => {
        over = true;
        return { calm, beside: await beside };
      };
    },
  };
}
