-- contracts 0.2.0: nothing reads the index of rows whose payment is not sealed
-- Requests are sealed with their payments, and answers, too: URLs that are checked may hold tokens. Rows of earlier releases
-- are in clear text until the gateways of this one have sealed them at their start; this index finds them, and is empty afterwards.
ALTER TABLE "payment_attempt" ALTER COLUMN "fingerprint" DROP NOT NULL, ALTER COLUMN "requirement" DROP NOT NULL;
DROP INDEX "payment_attempt_unsealed_idx";
CREATE INDEX "payment_attempt_clear_idx" ON "payment_attempt"("id")
  WHERE "fingerprint" IS NOT NULL OR "answer" NOT LIKE 'sealed:%';
