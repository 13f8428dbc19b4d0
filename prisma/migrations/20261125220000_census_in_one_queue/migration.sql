-- contracts 0.2.0: no release had a census
DROP INDEX "census_host_open_idx";
ALTER TABLE "census_host" DROP COLUMN "shard", DROP COLUMN "slice", ADD COLUMN "place" INTEGER;
CREATE INDEX "census_host_open_idx" ON "census_host" ("day", "place") WHERE "outcome" IS NULL;
