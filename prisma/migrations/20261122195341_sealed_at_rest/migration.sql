-- Payments and evidence of earlier releases are in clear text until the processes of this one have sealed them at their
-- start; these indexes find them, and are empty afterwards.
CREATE INDEX "payment_attempt_unsealed_idx" ON "payment_attempt"("id") WHERE NOT ("payment" ? 'sealed');
CREATE INDEX "host_evidence_unsealed_idx" ON "host_evidence"("domain")
  WHERE substring("exchanges" FROM 1 FOR 2) = '\x1f8b'::bytea;
