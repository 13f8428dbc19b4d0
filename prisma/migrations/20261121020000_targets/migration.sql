-- CreateTable
CREATE UNLOGGED TABLE "limit_counter" (
    "key" TEXT NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "limit_counter_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "opt_out" (
    "domain" TEXT NOT NULL,
    "added_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "opt_out_pkey" PRIMARY KEY ("domain")
);

-- CreateTable
CREATE TABLE "signing_key" (
    "purpose" TEXT NOT NULL,
    "pem" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("purpose")
);

-- CreateIndex
CREATE INDEX "limit_counter_expire_idx" ON "limit_counter"("expire");
