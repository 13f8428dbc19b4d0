-- An alert is one row, however many watches its host has: workers write the deliveries after the commit, in batches.
ALTER TABLE "alert" ADD COLUMN "fanned_out" UUID;
CREATE INDEX "alert_fan_out_idx" ON "alert" ("fanned_out", "at") WHERE "fanned_out" IS NOT NULL;

-- Watches are capped, ordered and evicted by the registrable domain of their host.
ALTER TABLE "watch" ADD COLUMN "host_site" TEXT NOT NULL DEFAULT '', ADD COLUMN "slow" BOOLEAN NOT NULL DEFAULT false;
UPDATE "watch" SET "host_site" = coalesce((SELECT "site" FROM "host" WHERE "host"."domain" = "watch"."domain"), "domain");
CREATE INDEX "watch_host_site_idx" ON "watch" ("host_site");
CREATE INDEX "payment_attempt_watch_digest_idx" ON "payment_attempt" ("payload_digest") WHERE "sku" = 'watch';
