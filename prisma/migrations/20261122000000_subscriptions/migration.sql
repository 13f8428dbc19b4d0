-- CreateTable
CREATE TABLE "subscription" (
    "id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "payer" TEXT,
    "key_hash" TEXT NOT NULL,
    "payment_digest" TEXT,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "subscription_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sign_in_nonce" (
    "address" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_nonce_pkey" PRIMARY KEY ("address", "nonce")
);

-- CreateTable
CREATE TABLE "server_secret" (
    "purpose" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "server_secret_pkey" PRIMARY KEY ("purpose")
);

-- CreateIndex
CREATE UNIQUE INDEX "subscription_key_hash_key" ON "subscription"("key_hash");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_payment_digest_key" ON "subscription"("payment_digest");

-- CreateIndex
CREATE INDEX "subscription_domain_payer_idx" ON "subscription"("domain", "payer");

-- CreateIndex
CREATE INDEX "sign_in_nonce_expires_at_idx" ON "sign_in_nonce"("expires_at");

-- A subscription looks its payment up by what was signed; other payments are not in this index.
CREATE INDEX "payment_attempt_subscription_idx" ON "payment_attempt"("payload_digest") WHERE "sku" = 'subscription';
