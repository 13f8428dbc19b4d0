// Compares reads over 1,000,000 hosts and 10,000,000 events with reads over 1,000 and 10,000: `npm run bench --
// million`. Takes minutes and about 10 GB in the temporary directory, which are released afterwards.
import { gatewayPeakMb } from './memory.mjs';
import { finding, inRounds, middle, ratio } from './measuring/figures.mjs';
import { load } from './measuring/load.mjs';
import { putFilledDatabase } from './stage/filled-database.mjs';
import { onStage, putGateway, putPostgres } from './stage/stage.mjs';
import { hostName, reportPath } from './stage/stored-hosts.mjs';

const SIZES = { few: 1_000, many: 1_000_000 };
const ROUNDS = 3;
/**
 * Requests per second: so few that a gateway drops a report (after 5 s) before it is read again, even with 1,000 hosts.
 */
const RATE = 150;
const SECONDS = 3;
const TARGET = { atMost: 1.2 };

/** The number of a host, spread over all of them by a step that is coprime to their number. */
const spread = (turn, hosts) => ((turn * 617_649) % hosts) + 1;
const turns = Array.from({ length: 1_000 }, (_, turn) => turn);

const READS = {
  report: {
    what: 'cached report',
    of: (hosts) => ({ paths: turns.map((turn) => reportPath(hostName(spread(turn, hosts)))) }),
  },
  changes: {
    what: 'changes page',
    of: (hosts) => ({ paths: turns.map((turn) => `${reportPath(hostName(spread(turn, hosts)))}/changes`) }),
  },
  payable: { what: 'find_payable page', of: (hosts) => findPayable(hosts, {}) },
  network: { what: 'find_payable page of one network', of: (hosts) => findPayable(hosts, { network: 'eip155:8453' }) },
};

function findPayable(hosts, filter) {
  const call = (cursor) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'find_payable', arguments: { ...filter, cursor } },
  });
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    paths: ['/api/v1/mcp'],
    // Does not start at the last names, so that every page is full.
    bodies: turns.map((turn) => JSON.stringify(call(hostName(spread(turn, Math.floor(hosts * 0.8)))))),
  };
}

async function measureRead(gateways, name) {
  const { what, of } = READS[name];
  const requests = Object.fromEntries(Object.entries(SIZES).map(([size, hosts]) => [size, of(hosts)]));
  const records = await inRounds(Object.keys(SIZES), ROUNDS, async (size) => {
    const { url, pid } = gateways[size];
    const { latencies } = await load(
      { url, pid, ...requests[size] },
      { connections: 1, perSecond: RATE, seconds: SECONDS },
    );
    return latencies;
  });
  const p50 = (record) => record.p50;
  return finding(`${what}, ${SIZES.many.toLocaleString('en')} hosts`, ratio(records, 'many', 'few', p50), 'x', {
    target: TARGET,
    reference: `the same with ${SIZES.few.toLocaleString('en')} hosts`,
    detail: { manyMs: middle(records, 'many', p50), fewMs: middle(records, 'few', p50) },
  });
}

export function measure() {
  return onStage(async (stage) => {
    const { url } = await putPostgres(stage, { fsync: 'off', max_wal_size: '8GB', autovacuum: 'off' });
    const gateways = {};
    for (const [size, hosts] of Object.entries(SIZES)) {
      gateways[size] = await putGateway(stage, { DATABASE_URL: await putFilledDatabase(stage, url, size, hosts) });
    }
    const findings = [];
    for (const name of Object.keys(READS)) findings.push(await measureRead(gateways, name));
    findings.push(
      finding(
        `memory of a gateway, ${SIZES.many.toLocaleString('en')} hosts stored`,
        await gatewayPeakMb(gateways.many, SIZES.many, { reads: 20_000 }),
        'MB',
        { target: { atMost: 250 }, reference: 'after reading 20,000 of them' },
      ),
    );
    return findings;
  });
}
