// Compares the prober on 50 TLS hosts with curl fetching the same URLs: `npm run bench -- prober`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endedChildrenMs, LOAD_CORE, onCore, processorMs, SERVER_CORE } from './measuring/cores.mjs';
import { compared, finding, inRounds } from './measuring/figures.mjs';
import { onStage, putProgram, putTlsHosts } from './stage/stage.mjs';

const HOSTS = 50;
/** The maximum number of connections that the prober opens to one host; curl may have the same total. */
const PER_HOST = 4;
const ROUNDS = 5;

/** Settings for curl to reach the URLs like the prober. */
function curlSettings({ hosts, caFile }, urls) {
  const lines = [
    'silent',
    'no-progress-meter',
    'parallel',
    `parallel-max = ${HOSTS * PER_HOST}`,
    'http1.1',
    `cacert = "${caFile}"`,
    ...hosts.map(({ name, port }) => `connect-to = "${name}:443:127.0.0.1:${port}"`),
    ...urls.flatMap((url) => [`url = "${url}"`, 'output = "/dev/null"']),
  ];
  return `${lines.join('\n')}\n`;
}

async function runCurl(settings) {
  const [command, ...args] = onCore(SERVER_CORE, ['curl', '--config', settings]);
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`curl ended with ${code}`);
  return performance.now() - started;
}

export function measure() {
  return onStage(async (stage) => {
    const site = await putTlsHosts(stage, { count: HOSTS }, { core: LOAD_CORE });
    const given = { names: site.names, connectTo: site.connectTo, caFile: site.caFile };
    const prober = await putProgram(stage, 'stage/prober-process', given);
    const probe = async () => {
      prober.child.send('probe');
      const [ms] = await once(prober.child, 'message');
      return ms;
    };
    await probe();
    const asked = (await site.requests()).filter((line) => line.startsWith('GET ')).map((line) => line.slice(4));
    const settings = join(stage.dir, 'curl.conf');
    writeFileSync(settings, curlSettings(site, asked));
    const subjects = { prober: probe, curl: () => runCurl(settings) };
    const takenMs = { prober: () => processorMs(prober.pid), curl: endedChildrenMs };
    const records = await inRounds(Object.keys(subjects), ROUNDS, async (name) => {
      const before = takenMs[name]();
      const ms = await subjects[name]();
      const requests = (await site.requests()).length;
      return { perSecond: (requests / ms) * 1_000, processorUs: ((takenMs[name]() - before) / requests) * 1_000 };
    });
    const [rate, byProcessor] = compared(records, ['prober', 'curl'], '  the same by requests a second', {});
    const reference = 'curl --parallel, same URLs';
    const what = `prober over ${HOSTS} TLS hosts, by processor time per request`;
    return [
      finding(what, byProcessor.figure, 'x', { target: { atLeast: 0.8 }, reference, detail: { urls: asked.length } }),
      rate,
      ...Object.keys(subjects).map((name) => finding(`  ${name}`, rate.detail[name].perSecond, '1/s')),
    ];
  });
}
