-- Which form the stored report has: an older one is upgraded when it is read (docs/compatibility.md).
ALTER TABLE "host" ADD COLUMN "form" SMALLINT NOT NULL DEFAULT 1;
