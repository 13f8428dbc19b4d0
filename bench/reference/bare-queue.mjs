// Plain BullMQ on the same Redis with a worker in another process: from `add` to the processed job.
import { Queue, QueueEvents } from 'bullmq';

/** @returns `addAndWait()`: milliseconds from the call to the time when the other process completed the job */
export async function openBareQueue(redisUrl) {
  const queue = new Queue('bare', { connection: { url: redisUrl } });
  const events = new QueueEvents('bare', { connection: { url: redisUrl } });
  await Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
  return {
    async addAndWait() {
      const started = process.hrtime.bigint(); // all processes of the machine share this clock
      const job = await queue.add(
        'job',
        { runId: '00000000-0000-4000-8000-000000000000' },
        { removeOnComplete: 1_000 },
      );
      const processedAt = BigInt(await job.waitUntilFinished(events));
      return Number(processedAt - started) / 1e6;
    },
    close: () => Promise.all([events.close(), queue.close()]),
  };
}
