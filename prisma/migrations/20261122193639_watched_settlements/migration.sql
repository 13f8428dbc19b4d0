-- When the chain is read again about how an attempt ended: a block may vanish, and a facilitator may lie.
ALTER TABLE "payment_attempt" ADD COLUMN "watch_at" TIMESTAMPTZ(3);

CREATE INDEX "payment_attempt_watch_idx" ON "payment_attempt" ("watch_at") WHERE "watch_at" IS NOT NULL;
