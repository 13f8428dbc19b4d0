import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { contractedRelease, contractionsOf } from './support/migrations';
import { partOf } from './support/generated';

const names = readdirSync('prisma/migrations').filter((name) => /^\d{14}_/.test(name));
const released = [...readFileSync('CHANGELOG.md', 'utf8').matchAll(/^## \[?(\d+\.\d+\.\d+)\]?, /gm)].map(
  ([, one]) => one!,
);

const CONTRACTING = [
  'DROP TABLE "host"',
  'DROP TABLE IF EXISTS host CASCADE',
  'DROP INDEX "host_idx"',
  'DROP TYPE state',
  'TRUNCATE host',
  'ALTER TABLE "host" DROP COLUMN "facts"',
  'ALTER TABLE host DROP facts',
  'ALTER TABLE "host" DROP CONSTRAINT "host_pkey"',
  'ALTER TABLE "host" RENAME TO "hosts"',
  'ALTER TABLE "host" RENAME COLUMN "facts" TO "report"',
  'ALTER TABLE "host" ADD COLUMN "size" INTEGER NOT NULL',
  'ALTER TABLE "host" ADD COLUMN "price" NUMERIC(10, 2) NOT NULL, ADD COLUMN "note" TEXT',
  'ALTER TABLE "host" ADD "id" UUID PRIMARY KEY',
  'ALTER TABLE "host" ADD COLUMN "note" TEXT, ALTER COLUMN "facts" SET NOT NULL',
  'ALTER TABLE "host" ALTER COLUMN "facts" TYPE JSONB USING facts::jsonb',
  'ALTER TABLE "host" ALTER "facts" SET DATA TYPE JSONB',
  'ALTER TABLE "host" ALTER COLUMN "facts" DROP DEFAULT',
  `ALTER TABLE "host" ADD CONSTRAINT "short" CHECK (length(facts) < 10)`,
  'ALTER TABLE ONLY "host" ADD FOREIGN KEY ("site") REFERENCES "site"("id")',
  "ALTER TYPE state RENAME VALUE 'open' TO 'begun'",
  'ALTER INDEX a RENAME TO b',
  'CREATE UNIQUE INDEX "host_site_key" ON "host"("site")',
  'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "host_site_key" ON "host" ("site")',
  'DO $$ BEGIN ALTER TABLE host DROP COLUMN facts; END $$',
  'DO $x$ BEGIN IF true THEN DROP TABLE host; END IF; END $x$',
] as const;

const EXPANDING = [
  'CREATE TABLE "note" ("id" UUID NOT NULL, CONSTRAINT "note_pkey" PRIMARY KEY ("id"))',
  'CREATE INDEX "host_idx" ON "host"("site") WHERE "site" IS NOT NULL',
  'ALTER TABLE "host" ADD COLUMN "note" TEXT',
  'ALTER TABLE "host" ADD COLUMN "last" TIMESTAMPTZ(3) NOT NULL DEFAULT now(), ADD COLUMN "n" NUMERIC(10, 2)',
  'ALTER TABLE "host" ADD COLUMN "n" BIGINT GENERATED ALWAYS AS IDENTITY NOT NULL',
  'ALTER TABLE "host" ALTER COLUMN "facts" DROP NOT NULL',
  'ALTER TABLE "host" ALTER COLUMN "facts" SET DEFAULT \'\'',
  "ALTER TYPE state ADD VALUE 'lost'",
  'DROP TRIGGER "kept" ON "host"',
  "COMMENT ON TABLE host IS 'DROP TABLE host; ALTER TABLE host RENAME TO it''s'",
  'CREATE TABLE "new" ("a" TEXT); ALTER TABLE "new" ADD CONSTRAINT "u" UNIQUE ("a"); CREATE UNIQUE INDEX "i" ON "new"("a")',
] as const;

/** The same statement in another style. */
const written = (statement: string) =>
  fc
    .record({
      lower: fc.boolean(),
      space: fc.constantFrom(' ', '\n', '\t  ', ' /* DROP TABLE host; */ ', ' -- ADD COLUMN a NOT NULL;\n'),
      before: fc.subarray([...EXPANDING]),
    })
    .map(({ lower, space, before }) => {
      const spaced = statement.replace(/ (?=(?:[^']*'[^']*')*[^']*$)/g, () => space);
      return [...before, lower ? spaced.toLowerCase() : spaced].join(';\n');
    });

describe('what a migration removes from the previous release', () => {
  it.each(CONTRACTING)('is found: %s', (statement) => {
    fc.assert(
      fc.property(written(statement), (sql) => {
        expect(contractionsOf(sql)).toHaveLength(1);
      }),
      { numRuns: partOf(200) },
    );
  });

  it.each(EXPANDING)('is not assumed for: %s', (statement) => {
    fc.assert(
      fc.property(written(statement), (sql) => {
        expect(contractionsOf(sql)).toEqual([]);
      }),
      { numRuns: partOf(200) },
    );
  });

  it('is marked with the release that no longer needs it', () => {
    expect(contractedRelease('-- contracts 0.2.0: nothing reads "facts" since\nDROP TABLE a;')).toBe('0.2.0');
    expect(contractedRelease('-- drops what 0.2.0 needs\nDROP TABLE a;')).toBeUndefined();
  });
});

describe('the migrations', () => {
  it('are found, and the first one creates all tables', () => {
    expect(names[0]).toMatch(/_init$/);
    expect(released).toContain('0.2.0');
  });

  it('remove nothing that a running release needs: expand first, and contract in a later release', () => {
    for (const name of [...names.map((one) => `prisma/migrations/${one}`), 'scripts/prove-deploy/next']) {
      const sql = readFileSync(`${name}/migration.sql`, 'utf8');
      const contractions = contractionsOf(sql);
      if (contractions.length > 0)
        expect([name, contractions, released]).toEqual([
          name,
          contractions,
          expect.arrayContaining([contractedRelease(sql)]),
        ]);
    }
  });
});
