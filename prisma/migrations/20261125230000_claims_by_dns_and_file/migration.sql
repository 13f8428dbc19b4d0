-- contracts 0.2.0: no release had claims by a key, wallets, notes or contacts of claims
UPDATE "claim" SET "finding" = "finding" - 'key' WHERE "finding" ? 'key';
UPDATE "claim" SET "level" = NULL, "level_since" = NULL, "last_seen_at" = NULL, "missing" = false WHERE "level" = 'key';
ALTER TABLE "claim" DROP COLUMN "thumbprint", DROP COLUMN "wallet", DROP COLUMN "notes";
ALTER TABLE "host" DROP COLUMN "published_keys";
