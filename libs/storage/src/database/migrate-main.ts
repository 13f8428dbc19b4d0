import { migrate } from './migrate';

/** `npm run db:migrate`: applies missing migrations to DATABASE_URL and prints their names. */
async function main(): Promise<void> {
  // eslint-disable-next-line no-restricted-properties -- a command of its own, before any configuration is complete
  const url = process.env['DATABASE_URL'];
  if (!url) throw new Error('set DATABASE_URL');
  const applied = await migrate(url);
  process.stdout.write(applied.length > 0 ? `applied ${applied.join(', ')}\n` : 'the database is up to date\n');
}

// As process 1 of a container, a process only gets signals that it listens to. An interrupted migration rolls back.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    process.stderr.write(`The migration was stopped: received ${signal}.\n`);
    process.exit(1);
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
