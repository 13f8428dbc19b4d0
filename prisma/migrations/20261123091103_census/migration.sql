CREATE TABLE "census_host" (
    "day" DATE NOT NULL,
    "domain" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "shard" SMALLINT NOT NULL,
    "list" TEXT NOT NULL,
    "depth" TEXT NOT NULL,
    "slice" INTEGER,
    "tries" SMALLINT NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "outcome" TEXT,
    "probed_at" TIMESTAMPTZ(3),
    "finding" JSONB,

    CONSTRAINT "census_host_pkey" PRIMARY KEY ("day", "domain")
) PARTITION BY RANGE ("day");
-- What is still to do, in the order in which it is done.
CREATE INDEX "census_host_open_idx" ON "census_host" ("day", "slice", "shard") WHERE "outcome" IS NULL;
