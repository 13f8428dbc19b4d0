CREATE TABLE "claim" (
    "id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "key_hash" TEXT NOT NULL,
    "challenge" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "level" TEXT,
    "level_since" TIMESTAMPTZ(3),
    "last_seen_at" TIMESTAMPTZ(3),
    "missing" BOOLEAN NOT NULL DEFAULT false,
    "asked_at" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3),
    "finding" JSONB,

    CONSTRAINT "claim_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "claim_key_hash_key" ON "claim"("key_hash");
CREATE INDEX "claim_domain_idx" ON "claim"("domain");
CREATE INDEX "claim_asked_at_idx" ON "claim"("asked_at");
