-- What a release may add beside processes of the one before.
CREATE TABLE "proof" ("id" UUID NOT NULL, CONSTRAINT "proof_pkey" PRIMARY KEY ("id"));
ALTER TABLE "payment_attempt" ADD COLUMN "proof" TEXT, ADD COLUMN "proofs" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "host" ALTER COLUMN "site" DROP NOT NULL;
CREATE INDEX "host_updated_at_idx" ON "host"("updated_at");
