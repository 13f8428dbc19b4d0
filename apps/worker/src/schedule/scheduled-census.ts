import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { FIGURES, readList, shardOf } from '@app/census';
import type { Config } from '@app/config';
import { CensusDayRepository, CensusRepository, OptOutRepository, type Database } from '@app/persistence';

/**
 * Begins a census of the operator's list when the last one is so many days old, goes on with one whose list was not read to its end,
 * and counts the figures of the last day when every host of it has an outcome (behaviour 18.8). Who opted out is found where a host would be
 * probed, and left out of the figures.
 * @throws when the list cannot be read
 */
export async function keepCensus(
  database: Database,
  { censusList, censusEveryDays, targets }: Pick<Config, 'censusList' | 'censusEveryDays' | 'targets'>,
  today: string,
): Promise<void> {
  const census = new CensusRepository(database);
  const last = await census.last(basename(censusList ?? ''));
  const begun = last !== null && Date.parse(today) - Date.parse(last.day) < censusEveryDays * 86_400_000;
  if (censusList !== null && (!begun || last.unplanned)) await take(census, censusList, begun ? last.day : today);
  if (last === null || last.open || last.counted) return;
  const optedOut = [...targets.optOut, ...(await new OptOutRepository(database).list())];
  await new CensusDayRepository(database).measure(last.day, optedOut, FIGURES);
}

async function take(census: CensusRepository, list: string, day: string): Promise<void> {
  for await (const { hosts } of readList(createReadStream(list))) {
    const names = hosts.map(({ ascii, site }) => ({ domain: ascii, site, shard: shardOf(site) }));
    await census.add(day, basename(list), 'first', names);
  }
  await census.plan(day);
}
