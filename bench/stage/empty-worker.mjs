// A worker with empty probes: the real queue, processor and rows, with a prober that answers at once; and a plain
// BullMQ worker that reports each processed job.
import { Worker } from 'bullmq';
import { built, openDatabase } from './built.mjs';
import { answered } from './stored-hosts.mjs';

const { WorkerMetrics } = built('apps/worker/src/jobs/worker-metrics');
const { CensusShare } = built('apps/worker/src/jobs/census-share');
const { ProbeProcessor } = built('apps/worker/src/probe.processor');
const { OptOuts } = built('libs/limits/src/index');
const { createLogger } = built('libs/platform/src/index');
const { RunRepository } = built('libs/storage/src/index');
const { createConsumer, queueConnection } = built('libs/queue/src/index');

const NOTHING = {
  exchange: answered({ method: 'GET', url: 'https://shop.example.com/' }, 'callability', { status: 204 }, new Date()),
  timingsMs: { dns: null, connect: null, tls: null, firstByte: null, total: 0 },
  tls: null,
};

process.once('message', async ({ databaseUrl, redisUrl }) => {
  const runs = new RunRepository(openDatabase(databaseUrl));
  const logger = createLogger('bench', 'silent');
  const optOuts = new OptOuts(
    [],
    async () => [],
    () => undefined,
  );
  const jobs = {
    prober: { probe: async () => NOTHING },
    judging: { renew: () => undefined },
    share: new CensusShare(0),
  };
  const processor = new ProbeProcessor(runs, jobs, optOuts, new WorkerMetrics(), logger);
  await createConsumer(queueConnection(redisUrl, databaseUrl), 'live', {
    concurrency: 20,
    process: (job) => processor.process(job),
    onError: (error) => process.stderr.write(`${error.message}\n`),
  });
  const bare = new Worker('bare', async () => String(process.hrtime.bigint()), {
    concurrency: 20,
    connection: { url: redisUrl, maxRetriesPerRequest: null },
  });
  await bare.waitUntilReady();
  process.once('SIGTERM', () => process.exit(0));
  process.send('ready');
});
