-- Names that are not shown among the hosts probed lately.
ALTER TABLE "host" ADD COLUMN "unlisted" BOOLEAN NOT NULL DEFAULT false;
