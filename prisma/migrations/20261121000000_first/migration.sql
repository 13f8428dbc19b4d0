-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "host" (
    "domain" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "facts" TEXT NOT NULL,
    "probed_at" TIMESTAMPTZ(3),
    "callability_probed_at" TIMESTAMPTZ(3),
    "reachable" BOOLEAN,
    "payable" BOOLEAN NOT NULL DEFAULT false,
    "drift_memory" JSONB,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "host_pkey" PRIMARY KEY ("domain")
);

-- CreateTable
CREATE TABLE "host_evidence" (
    "domain" TEXT NOT NULL,
    "run_id" UUID NOT NULL,
    "exchanges" BYTEA NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "host_evidence_pkey" PRIMARY KEY ("domain")
);

-- CreateTable
CREATE TABLE "probe_run" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "protocol" TEXT,
    "subject" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "outcome" JSONB,
    "failure" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "probe_run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "change_event" (
    "id" BIGSERIAL NOT NULL,
    "domain" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "protocol" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "before" JSONB,
    "after" JSONB,

    CONSTRAINT "change_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "worker_pulse" (
    "id" UUID NOT NULL,
    "concurrency" INTEGER NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "worker_pulse_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payment_attempt" (
    "id" UUID NOT NULL,
    "network" TEXT NOT NULL,
    "asset" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "pay_to" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "valid_before" TIMESTAMPTZ(3) NOT NULL,
    "sku" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "resource" TEXT NOT NULL,
    "payload_digest" TEXT NOT NULL,
    "payment_identifier" TEXT,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "payment" JSONB NOT NULL,
    "requirement" JSONB NOT NULL,
    "lease_owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "answer" TEXT,
    "settlement" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payment_event" (
    "attempt_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_event_pkey" PRIMARY KEY ("attempt_id","seq")
);

-- CreateIndex
CREATE INDEX "host_site_idx" ON "host"("site");

-- CreateIndex
CREATE INDEX "probe_run_domain_created_at_idx" ON "probe_run"("domain", "created_at" DESC);

-- CreateIndex
CREATE INDEX "probe_run_created_at_idx" ON "probe_run"("created_at");

-- CreateIndex
CREATE INDEX "change_event_domain_id_idx" ON "change_event"("domain", "id" DESC);

-- CreateIndex
CREATE INDEX "payment_attempt_state_updated_at_idx" ON "payment_attempt"("state", "updated_at");

-- CreateIndex
CREATE INDEX "payment_attempt_payment_identifier_idx" ON "payment_attempt"("payment_identifier");

-- CreateIndex
CREATE UNIQUE INDEX "payment_attempt_network_asset_payer_nonce_key" ON "payment_attempt"("network", "asset", "payer", "nonce");

-- AddForeignKey
ALTER TABLE "payment_event" ADD CONSTRAINT "payment_event_attempt_id_fkey" FOREIGN KEY ("attempt_id") REFERENCES "payment_attempt"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What the schema language cannot say.

-- Single flight: at most one unfinished run per subject, whoever asks.
CREATE UNIQUE INDEX "probe_run_in_flight_key" ON "probe_run"("subject") WHERE "status" IN ('queued', 'running');

-- Admission looks at what is waiting, reconciliation at what is open; both must stay small however long history grows.
CREATE INDEX "payment_attempt_open_idx" ON "payment_attempt"("updated_at")
  WHERE "state" IN ('received', 'verified', 'working', 'answer_stored', 'settling', 'settle_unknown');

-- History is append-only.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
CREATE TRIGGER "payment_event_append_only" BEFORE UPDATE OR DELETE ON "payment_event"
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
