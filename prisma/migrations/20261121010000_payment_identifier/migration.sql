-- An identifier names one purchase of its payer. It is taken by payments that were verified, so that nobody can take
-- it with a signature that was never checked, and given back by those that ended without a charge.
DROP INDEX "payment_attempt_payment_identifier_idx";
CREATE UNIQUE INDEX "payment_attempt_identifier_key" ON "payment_attempt"("payer", "payment_identifier")
  WHERE "payment_identifier" IS NOT NULL
    AND "state" IN ('verified', 'working', 'answer_stored', 'settling', 'settle_unknown', 'settled');
