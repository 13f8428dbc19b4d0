CREATE TABLE "watch" (
    "id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "types" TEXT[],
    "key_hash" TEXT NOT NULL,
    "claim_id" UUID,
    "subscription_id" UUID,
    "payment_digest" TEXT,
    "secret" TEXT,
    "former_secret" TEXT,
    "rotated_at" TIMESTAMPTZ(3),
    "state" TEXT NOT NULL DEFAULT 'unverified',
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "alerts_left" INTEGER,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "paused_until" TIMESTAMPTZ(3),

    CONSTRAINT "watch_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "watch_claim_id_fkey" FOREIGN KEY ("claim_id") REFERENCES "claim"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "watch_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscription"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "watch_key_hash_key" ON "watch"("key_hash");
CREATE UNIQUE INDEX "watch_payment_digest_key" ON "watch"("payment_digest");
CREATE INDEX "watch_domain_idx" ON "watch"("domain");
CREATE INDEX "watch_claim_id_idx" ON "watch"("claim_id");
CREATE INDEX "watch_subscription_id_idx" ON "watch"("subscription_id");
CREATE INDEX "watch_ends_at_idx" ON "watch"("ends_at");

CREATE TABLE "watched_host" (
    "domain" TEXT NOT NULL,
    "seq" INTEGER NOT NULL DEFAULT 0,
    "silent" INTEGER NOT NULL DEFAULT 0,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "in_hour" INTEGER NOT NULL DEFAULT 0,
    "held" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "watched_host_pkey" PRIMARY KEY ("domain")
);
CREATE INDEX "watched_host_hour_idx" ON "watched_host"("hour");

CREATE TABLE "alert" (
    "id" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "seq" INTEGER,
    "type" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "coalesced" INTEGER,
    "subject" TEXT,

    CONSTRAINT "alert_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "alert_at_idx" ON "alert"("at");

CREATE TABLE "alert_delivery" (
    "watch_id" UUID NOT NULL,
    "alert_id" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'due',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "tried_at" TIMESTAMPTZ(3),
    "status" INTEGER,
    "ms" INTEGER,
    "outcome" TEXT,
    "excerpt" TEXT,

    CONSTRAINT "alert_delivery_pkey" PRIMARY KEY ("watch_id","alert_id"),
    CONSTRAINT "alert_delivery_watch_id_fkey" FOREIGN KEY ("watch_id") REFERENCES "watch"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "alert_delivery_alert_id_fkey" FOREIGN KEY ("alert_id") REFERENCES "alert"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "alert_delivery_alert_id_idx" ON "alert_delivery"("alert_id");
CREATE INDEX "alert_delivery_due_idx" ON "alert_delivery"("next_at") WHERE "state" = 'due';

CREATE TABLE "webhook_key" (
    "kid" TEXT NOT NULL,
    "signing" TEXT NOT NULL,
    "sealing" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_key_pkey" PRIMARY KEY ("kid")
);
