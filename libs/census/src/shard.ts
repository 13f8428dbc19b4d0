import { createHash } from 'node:crypto';

/** How many queues share a census; part of what is stored, so it never changes. */
export const SHARDS = 16;

/** Which of the queues a site belongs to: all names of a site are in one. */
export function shardOf(site: string): number {
  return (createHash('sha1').update(site).digest()[0] ?? 0) % SHARDS;
}
