import { join } from 'node:path';
import { startPostgres } from './embedded/embedded-postgres';
import { silenceOf, startQueue } from './embedded/embedded-queue';
import type { Screen } from './screen';
import type { Settings } from './settings';
import type { StartedProcesses } from './started-processes';

/** The storage of reports, payments and jobs. */
export interface Storage {
  readonly databaseUrl: string;
  /** Null if the queue is on Postgres. */
  readonly redisUrl: string | null;
}

/** The migrations of this checkout, independent of the working directory. */
const MIGRATIONS = join(__dirname, '..', '..', '..', '..', 'prisma', 'migrations');

/** Uses the caller's Postgres and Redis, or starts our own, and brings the schema up to date. */
export async function startStorage(settings: Settings, deps: StartedProcesses, screen: Screen): Promise<Storage> {
  const [databaseUrl, { migrate }] = await Promise.all([
    settings.databaseUrl ?? ownPostgres(settings, deps, screen),
    import('./migrations.js'), // read while Postgres starts
  ]);
  const applied = await migrate(databaseUrl, MIGRATIONS).catch((cause: unknown) => {
    throw new Error(`the database migration failed: ${sentenceOf(cause)}`, { cause });
  });
  const last = applied.at(-1);
  screen.part('migrations', last === undefined ? 'up to date' : `${applied.length} applied, up to ${last}`);
  return { databaseUrl, redisUrl: await queueUrl(settings, deps, screen) };
}

async function ownPostgres({ dataDir }: Settings, deps: StartedProcesses, screen: Screen): Promise<string> {
  const dir = join(dataDir, 'postgres');
  const postgres = await startPostgres({ dir, onSpawn: deps.watch });
  deps.addProcess(postgres.process);
  screen.part('postgres', `embedded, 127.0.0.1:${new URL(postgres.url).port}`);
  return postgres.url;
}

/** Null if the queue is on Postgres. */
async function queueUrl(settings: Settings, deps: StartedProcesses, screen: Screen): Promise<string | null> {
  if (settings.redisUrl === null) return ownQueue(settings, deps, screen);
  const silent = await silenceOf(settings.redisUrl);
  if (silent !== null) throw new Error(`cannot reach the Redis at REDIS_URL: ${silent}`);
  return settings.redisUrl;
}

/** Starts our own Redis. Returns null if Redis is not installed or does not start; the queue is then on Postgres. */
async function ownQueue(settings: Settings, deps: StartedProcesses, screen: Screen): Promise<string | null> {
  const dir = join(settings.dataDir, 'redis');
  const started = startQueue({ dir, path: settings.env['PATH'] ?? '', onSpawn: deps.watch });
  const queue = await started.catch((cause: unknown) => `redis-server did not start: ${sentenceOf(cause)}`);
  if (queue === null || typeof queue === 'string') {
    screen.part('queue', `on Postgres (${queue ?? 'redis-server is not installed'})`);
    return null;
  }
  deps.addProcess(queue.process);
  screen.part('queue', `private redis-server, 127.0.0.1:${new URL(queue.url).port}`);
  return queue.url;
}

function sentenceOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
