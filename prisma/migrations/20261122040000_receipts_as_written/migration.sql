-- A replay shows the receipt with its members in the order of the first answer, which jsonb does not keep.
ALTER TABLE "payment_attempt" ALTER COLUMN "settlement" TYPE JSON;
