-- A settled payment can be read from the chain: the signature alone must not fetch the key a second time.
ALTER TABLE "subscription" ADD COLUMN "key_shown_at" TIMESTAMPTZ(3);
