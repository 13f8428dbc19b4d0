// Runs one load with autocannon and sends the results to the parent.
import autocannon from 'autocannon';
import { at } from './figures.mjs';

process.once('message', async (order) => {
  const { url, headers, method = 'GET', paths, bodies, connections, seconds, expect, perSecond, amount } = order;
  let turn = 0;
  const inTurn = (list) => list[turn++ % list.length];
  const requests =
    paths || bodies
      ? [
          {
            method,
            setupRequest: (request) => ({
              ...request,
              ...(paths ? { path: inTurn(paths) } : {}),
              ...(bodies ? { body: inTurn(bodies) } : {}),
            }),
          },
        ]
      : undefined;
  const latencies = [];
  let unexpected = 0;
  const started = performance.now();
  const instance = autocannon({
    url,
    method,
    headers,
    connections,
    ...(requests ? { requests } : {}),
    ...(amount === undefined ? { duration: seconds } : { amount }),
    ...(perSecond === undefined ? {} : { overallRate: perSecond, ignoreCoordinatedOmission: true }),
  });
  instance.on('response', (_client, status, _bytes, ms) => {
    if (status !== expect) unexpected += 1;
    latencies.push(ms);
  });
  instance.on('reqError', () => (unexpected += 1));
  await instance;
  const elapsedMs = performance.now() - started;
  process.send({
    requests: latencies.length,
    elapsedMs,
    unexpected,
    latencies: { p50: at(latencies, 0.5), p97: at(latencies, 0.975), p99: at(latencies, 0.99), max: at(latencies, 1) },
  });
});
process.send('ready');
