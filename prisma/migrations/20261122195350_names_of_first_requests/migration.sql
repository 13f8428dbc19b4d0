-- A name that came with a request that started over may be a stranger's: it fetches no key of a subscription.
ALTER TABLE "payment_attempt" ADD COLUMN "named_first" BOOLEAN NOT NULL DEFAULT true;
