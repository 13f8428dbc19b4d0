// Ten hosts for one payment beside one host, every answer of a host taking 50 ms: `npm run bench -- batch`.
import { ANSWER_MS, putService } from './refresh.mjs';
import { finding } from './measuring/finding.mjs';
import { inRounds, middle, ratio } from './measuring/rounds.mjs';
import { makeBuyer } from './stage/buyer.mjs';
import { onStage } from './stage/stage.mjs';
import { reportPath } from './stage/stored-hosts.mjs';

const HOSTS = 10;
const ROUNDS = 12;
/** A worker in service is past its first hundred looks, through which its code is compiled beside them. */
const WARM_UP_BATCHES = 10;

export function measure() {
  return onStage(async (stage) => {
    const { hosts, gateway } = await putService(stage, HOSTS, ANSWER_MS);
    const buy = makeBuyer();
    const order = (domains) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domains, mode: 'full' }),
    });
    let turn = 0;
    const sales = {
      one: () => buy(`${gateway.url}${reportPath(hosts.names[(turn += 1) % HOSTS])}/refresh`),
      ten: () => buy(`${gateway.url}/api/v1/hosts/refresh`, order(hosts.names)),
    };
    for (let batch = 0; batch < WARM_UP_BATCHES; batch += 1) await sales.ten();
    const records = await inRounds(Object.keys(sales), ROUNDS, (name) => sales[name]());
    const ms = (record) => record.ms;
    return [
      finding({
        what: `batch of ${HOSTS} such hosts`,
        figure: ratio(records, 'ten', 'one', ms),
        unit: 'x',
        target: { atMost: 1.5 },
        reference: 'one such host',
        detail: { tenMs: middle(records, 'ten', ms), oneMs: middle(records, 'one', ms) },
      }),
    ];
  });
}
