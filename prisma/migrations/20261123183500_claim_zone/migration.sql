ALTER TABLE "claim" ADD COLUMN "name_servers" TEXT[] NOT NULL DEFAULT '{}';
