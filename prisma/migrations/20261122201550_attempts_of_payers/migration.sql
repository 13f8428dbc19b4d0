-- What a payer has open, and what it failed to pay for, is read before each sale.
CREATE INDEX "payment_attempt_payer_idx" ON "payment_attempt" ("network", "asset", "payer")
  WHERE "state" NOT IN ('settled', 'rejected', 'work_failed');
