-- The exchanges of a probe as lines under a root that anybody can compute again, and the bodies they name, once by hash
-- for each host. Archives of earlier releases stay in "host_evidence" until the next probe of their host.
CREATE TABLE "evidence" (
    "root" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "lines" BYTEA NOT NULL,
    "bodies" TEXT[] NOT NULL,
    "withheld" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "evidence_pkey" PRIMARY KEY ("root")
);
CREATE INDEX "evidence_domain_at_idx" ON "evidence"("domain", "at" DESC);

CREATE TABLE "evidence_body" (
    "domain" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "bytes" BYTEA NOT NULL,
    "leaks" BOOLEAN NOT NULL,

    CONSTRAINT "evidence_body_pkey" PRIMARY KEY ("domain", "sha256")
);

ALTER TABLE "host" ADD COLUMN "evidence_root" TEXT;
ALTER TABLE "host" ADD COLUMN "evidence_lines" INTEGER;
