ALTER TABLE "host" ADD COLUMN "statement_id" TEXT, ADD COLUMN "facts_sha256" TEXT;

CREATE TABLE "report_text" (
    "sha256" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "facts" TEXT NOT NULL,
    "evidence_root" TEXT,
    "needed_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "report_text_pkey" PRIMARY KEY ("sha256")
);
CREATE INDEX "report_text_needed_until_idx" ON "report_text"("needed_until");
CREATE INDEX "report_text_evidence_root_idx" ON "report_text"("evidence_root");

CREATE TABLE "statement_log" (
    "sha256" TEXT NOT NULL,
    "day" DATE NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,

    CONSTRAINT "statement_log_pkey" PRIMARY KEY ("sha256")
);
CREATE INDEX "statement_log_day_idx" ON "statement_log"("day");

CREATE TABLE "daily_root" (
    "day" DATE NOT NULL,
    "token" TEXT NOT NULL,

    CONSTRAINT "daily_root_pkey" PRIMARY KEY ("day")
);

CREATE TABLE "report_key" (
    "kid" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "signs_from" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "revoked_reason" TEXT,

    CONSTRAINT "report_key_pkey" PRIMARY KEY ("kid")
);
