// A census of hosts that publish something, so that each gets a full probe: `npm run bench -- census`. A worker is
// killed meanwhile, and every host must have exactly one outcome.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finding } from './measuring/figures.mjs';
import { program } from './stage/built.mjs';
import { onStage, probingAt, putPostgres, putRedis, putTlsHosts, putWorker } from './stage/stage.mjs';

const HOSTS = 300;
const SLOTS = 28;

export function measure() {
  return onStage(async (stage) => {
    const hosts = await putTlsHosts(stage, { count: HOSTS });
    const { url: DATABASE_URL, database } = await putPostgres(stage);
    const REDIS_URL = await putRedis(stage);
    const env = { DATABASE_URL, REDIS_URL, CENSUS_SLOTS: String(SLOTS), ...probingAt(hosts) };
    const done = async () => {
      const { rows } = await database.pool.query(
        'SELECT count(*)::int AS n FROM census_host WHERE outcome IS NOT NULL',
      );
      return rows[0].n;
    };
    const list = join(stage.dir, 'list.txt');
    writeFileSync(list, hosts.names.join('\n'));
    const [doomed] = [await putWorker(stage, env), await putWorker(stage, env)];
    const started = performance.now();
    const command = spawn(process.execPath, [program('cli'), 'census', list, '--out', join(stage.dir, 'release')], {
      env: { PATH: process.env.PATH, DATABASE_URL },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(command, 'exit');
    while (command.exitCode === null && (await done()) < HOSTS / 3) await new Promise((next) => setTimeout(next, 100));
    doomed.child.kill('SIGKILL');
    const [code] = await ended;
    const seconds = (performance.now() - started) / 1_000;
    const { rows } = await database.pool.query('SELECT outcome, count(*)::int AS n FROM census_host GROUP BY outcome');
    if (code !== 0 || rows.length !== 1 || rows[0].outcome !== 'found' || rows[0].n !== HOSTS)
      throw new Error(`the census ended with code ${code} and ${JSON.stringify(rows)}`);
    return [
      finding('census, hosts probed in full, a worker killed', HOSTS / seconds, '1/s', {
        reference: `${HOSTS} hosts, ${SLOTS} slots in each of two workers`,
      }),
    ];
  });
}
