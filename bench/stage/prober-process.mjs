// The prober in its own process: for every message it probes all hosts at once and answers with the duration.
import { built } from './built.mjs';

const { DETECTORS } = built('libs/detectors/src/index');
const { createProber } = built('libs/probing/src/index');
const { HostName } = built('libs/hosts/src/index');

process.once('message', ({ names, connectTo, caFile }) => {
  const prober = createProber({ userAgent: 'hostprobe-bench', connectTo, caFile });
  const hosts = names.map((name) => HostName.parse(name).host);
  const options = { detectors: DETECTORS, phases: ['presence', 'callability'] };
  process.on('message', async () => {
    const started = performance.now();
    await Promise.all(hosts.map((host) => prober.collect(host, options)));
    process.send(performance.now() - started);
  });
  process.send({ ready: true });
});
