ALTER TABLE "claim" ADD COLUMN "thumbprint" TEXT;
ALTER TABLE "host" ADD COLUMN "published_keys" TEXT[] NOT NULL DEFAULT '{}';
CREATE INDEX "host_published_keys_idx" ON "host" USING gin ("published_keys") WHERE "published_keys" <> '{}';
