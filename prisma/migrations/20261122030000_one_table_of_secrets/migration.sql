-- The key of the prober is a secret made once and shared by all processes, like the others.
INSERT INTO "server_secret" ("purpose", "secret", "created_at")
  SELECT 'prober_key', "pem", "created_at" FROM "signing_key" WHERE "purpose" = 'probe';

-- DropTable
DROP TABLE "signing_key";
