-- Whether a host answered, one row a host and day (behaviour 14.3).
CREATE TABLE "host_day" (
    "domain" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "up" INTEGER NOT NULL,
    "down" INTEGER NOT NULL,
    "unknown" INTEGER NOT NULL,
    "bought_up" INTEGER NOT NULL,
    "bought_down" INTEGER NOT NULL,
    "first" TIMESTAMPTZ(3) NOT NULL,
    "last" TIMESTAMPTZ(3) NOT NULL,
    "reasons" JSONB NOT NULL,
    "bitmap" BYTEA NOT NULL,

    CONSTRAINT "host_day_pkey" PRIMARY KEY ("domain","day")
);
CREATE INDEX "host_day_day_idx" ON "host_day"("day");
