import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { SHARDS } from '@app/census';
import { enqueueCensus } from '@app/queue';
import { backends, freshRedis } from '../../../test/support/stack';

describe.each(backends().filter((backend) => backend === 'redis'))(
  'the autoscaler of workers, with queues on %s',
  () => {
    it('counts the lists that jobs of a census wait in, one of each shard', async () => {
      const manifest = readFileSync('deploy/kubernetes/autoscaling.yaml', 'utf8');
      const lists = [...manifest.matchAll(/listName: '([^']+)'/g)].map(([, name]) => name!);
      const url = (await freshRedis())!;
      const jobs = Array.from({ length: SHARDS }, (_, shard) => ({ day: '2026-11-23', shard, slice: 0 }));
      await enqueueCensus({ backend: 'redis', url }, jobs, () => undefined);
      const redis = new Redis(url);
      const lengths = await Promise.all(lists.map((list) => redis.llen(list)));
      redis.disconnect();
      expect(lengths).toEqual(Array(SHARDS).fill(1));
    });
  },
);
