-- What was bought is marked as bought: probes of watched hosts, which may be free, move the clock of callability, too.
ALTER TABLE "host" ADD COLUMN "bought_at" TIMESTAMPTZ(3);
UPDATE "host" SET "bought_at" = "callability_probed_at";

ALTER TABLE "claim" ADD COLUMN "site" TEXT NOT NULL DEFAULT '', ADD COLUMN "caller" TEXT NOT NULL DEFAULT '';
UPDATE "claim" SET "site" = coalesce((SELECT "site" FROM "host" WHERE "host"."domain" = "claim"."domain"), "domain");
