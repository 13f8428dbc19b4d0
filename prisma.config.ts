import { defineConfig } from 'prisma/config';

// `prisma generate` needs no schema engine, yet tries to download one first; any executable file stops
// that, so that an install works behind a closed network (docs/adr/0008-migrations-without-an-engine.md).
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? '' },
});
