/** Where BullMQ keeps its jobs: Redis, or the Postgres that is there anyway when no Redis is. */
export type QueueConnection =
  { readonly backend: 'redis'; readonly url: string } | { readonly backend: 'postgres'; readonly url: string };

export function queueConnection(redisUrl: string | null, databaseUrl: string): QueueConnection {
  return redisUrl === null ? { backend: 'postgres', url: databaseUrl } : { backend: 'redis', url: redisUrl };
}
