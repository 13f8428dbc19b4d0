-- The tables in the order of schema.prisma, each with what its language cannot say: partial indexes, triggers, partitions.

-- Hosts

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
    "statement_id" TEXT,
    "facts_sha256" TEXT,
    "last_read_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "evidence_root" TEXT,
    "evidence_lines" INTEGER,
    "unlisted" BOOLEAN NOT NULL DEFAULT false,
    "bought_at" TIMESTAMPTZ(3),

    CONSTRAINT "host_pkey" PRIMARY KEY ("domain")
);
CREATE INDEX "host_site_idx" ON "host"("site");
CREATE INDEX "host_probed_at_idx" ON "host"("probed_at");

-- Names are compared byte by byte, so that a page ends where the next begins whatever the locale of the database.
CREATE TABLE "host_rail" (
    "domain" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "protocol" TEXT NOT NULL,
    "network" TEXT,
    "amount_usd" DECIMAL,
    "resource" TEXT NOT NULL,
    "payable" BOOLEAN NOT NULL,
    "rail" TEXT NOT NULL,
    "observed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "host_rail_pkey" PRIMARY KEY ("domain", "position")
);
-- Only payable rails are looked for, in the order of their hosts.
CREATE INDEX "host_rail_payable_idx" ON "host_rail"("domain", "position") WHERE "payable";
CREATE INDEX "host_rail_payable_network_idx" ON "host_rail"("network", "domain") WHERE "payable";

CREATE TABLE "host_day" (
    "domain" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "up" INTEGER NOT NULL,
    "down" INTEGER NOT NULL,
    "unknown" INTEGER NOT NULL,
    "bought_up" INTEGER NOT NULL,
    "bought_down" INTEGER NOT NULL,
    "first" TIMESTAMPTZ(3) NOT NULL,
    "last" TIMESTAMPTZ(3) NOT NULL,
    "reasons" JSONB NOT NULL,
    "bitmap" BYTEA NOT NULL,

    CONSTRAINT "host_day_pkey" PRIMARY KEY ("domain", "day")
);
CREATE INDEX "host_day_day_idx" ON "host_day"("day");

-- jsonb sorts the members of an object by length; here and below, what is sent to people keeps the order it was written in.
CREATE TABLE "change_event" (
    "id" BIGSERIAL NOT NULL,
    "domain" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "protocol" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "before" JSON,
    "after" JSON,

    CONSTRAINT "change_event_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "change_event_domain_id_idx" ON "change_event"("domain", "id" DESC);

CREATE TABLE "opt_out" (
    "domain" TEXT NOT NULL,
    "added_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "opt_out_pkey" PRIMARY KEY ("domain")
);

-- Each day is a partition, made with its first name.
CREATE TABLE "census_host" (
    "day" DATE NOT NULL,
    "domain" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "list" TEXT NOT NULL,
    "depth" TEXT NOT NULL,
    "place" INTEGER,
    "tries" SMALLINT NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "outcome" TEXT,
    "probed_at" TIMESTAMPTZ(3),
    "finding" JSONB,

    CONSTRAINT "census_host_pkey" PRIMARY KEY ("day", "domain")
) PARTITION BY RANGE ("day");
-- What is still to do, in the order in which it is done.
CREATE INDEX "census_host_open_idx" ON "census_host"("day", "place") WHERE "outcome" IS NULL;

-- Evidence

-- The bytes of evidence may be in a bucket: the row has their key and number then, and empty bytes.
CREATE TABLE "evidence" (
    "root" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "lines" BYTEA NOT NULL,
    "bodies" TEXT[] NOT NULL,
    "withheld" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "object" TEXT,
    "size" INTEGER,

    CONSTRAINT "evidence_pkey" PRIMARY KEY ("root")
);
CREATE INDEX "evidence_domain_at_idx" ON "evidence"("domain", "at" DESC);

CREATE TABLE "evidence_body" (
    "domain" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "bytes" BYTEA NOT NULL,
    "leaks" BOOLEAN NOT NULL,
    "object" TEXT,
    "size" INTEGER,

    CONSTRAINT "evidence_body_pkey" PRIMARY KEY ("domain", "sha256")
);

CREATE TABLE "orphaned_object" (
    "object" TEXT NOT NULL,
    "due" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "orphaned_object_pkey" PRIMARY KEY ("object")
);
CREATE INDEX "orphaned_object_due_idx" ON "orphaned_object"("due");

-- However a row goes, its object goes after it.
CREATE FUNCTION leave_object() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO orphaned_object (object, due) VALUES (OLD.object, now());
  RETURN NULL;
END $$;
CREATE TRIGGER "evidence_leaves_object" AFTER DELETE ON "evidence"
  FOR EACH ROW WHEN (OLD.object IS NOT NULL) EXECUTE FUNCTION leave_object();
CREATE TRIGGER "evidence_body_leaves_object" AFTER DELETE ON "evidence_body"
  FOR EACH ROW WHEN (OLD.object IS NOT NULL) EXECUTE FUNCTION leave_object();

-- Statements

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

CREATE TABLE "report_key" (
    "kid" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "signs_from" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "revoked_reason" TEXT,

    CONSTRAINT "report_key_pkey" PRIMARY KEY ("kid")
);

-- Runs

CREATE TABLE "probe_run" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "args" JSONB,
    "subject" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "outcome" JSON,
    "failure" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "deadline_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "probe_run_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "probe_run_domain_created_at_idx" ON "probe_run"("domain", "created_at" DESC);
-- The last free probe of a host, which every read of its report asks for.
CREATE INDEX "probe_run_free_idx" ON "probe_run"("domain", "created_at" DESC) WHERE "kind" IN ('presence', 'watch');
CREATE INDEX "probe_run_created_at_idx" ON "probe_run"("created_at");
-- Single flight: at most one unfinished run per subject, whoever asks.
CREATE UNIQUE INDEX "probe_run_in_flight_key" ON "probe_run"("subject") WHERE "status" IN ('queued', 'running');

CREATE TABLE "worker_pulse" (
    "id" UUID NOT NULL,
    "concurrency" INTEGER NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "worker_pulse_pkey" PRIMARY KEY ("id")
);

-- Payments

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
    "resource" TEXT NOT NULL,
    "payload_digest" TEXT NOT NULL,
    "payment_identifier" TEXT,
    "named_first" BOOLEAN NOT NULL DEFAULT true,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "payment" JSONB NOT NULL,
    "lease_owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "answer" TEXT,
    "settlement" JSON,
    "watch_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_attempt_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "payment_attempt_network_asset_payer_nonce_key" ON "payment_attempt"("network", "asset", "payer", "nonce");
CREATE INDEX "payment_attempt_state_updated_at_idx" ON "payment_attempt"("state", "updated_at");
-- An identifier names one purchase of its payer. It is taken by payments that were verified, so that nobody can take
-- it with a signature that was never checked, and given back by those that ended without a charge.
CREATE UNIQUE INDEX "payment_attempt_identifier_key" ON "payment_attempt"("payer", "payment_identifier")
  WHERE "payment_identifier" IS NOT NULL
    AND "state" IN ('verified', 'working', 'answer_stored', 'settling', 'settle_unknown', 'settled');
-- Admission looks at what is waiting, reconciliation at what is open; both must stay small however long history grows.
CREATE INDEX "payment_attempt_open_idx" ON "payment_attempt"("updated_at")
  WHERE "state" IN ('received', 'verified', 'working', 'answer_stored', 'settling', 'settle_unknown');
-- What a payer has open, and what it failed to pay for, is read before each sale.
CREATE INDEX "payment_attempt_payer_idx" ON "payment_attempt"("network", "asset", "payer")
  WHERE "state" NOT IN ('settled', 'rejected', 'work_failed');
-- Of how few attempts the chain is read again.
CREATE INDEX "payment_attempt_watch_idx" ON "payment_attempt"("watch_at") WHERE "watch_at" IS NOT NULL;
-- Subscriptions and watches look their payments up by what was signed; other payments are in neither index.
CREATE INDEX "payment_attempt_subscription_idx" ON "payment_attempt"("payload_digest") WHERE "sku" = 'subscription';
CREATE INDEX "payment_attempt_watch_digest_idx" ON "payment_attempt"("payload_digest") WHERE "sku" = 'watch';

CREATE TABLE "payment_event" (
    "attempt_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_event_pkey" PRIMARY KEY ("attempt_id", "seq"),
    CONSTRAINT "payment_event_attempt_id_fkey" FOREIGN KEY ("attempt_id") REFERENCES "payment_attempt"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- History is append-only, and goes with its attempt when that ended without a charge: nothing that anybody can make up
-- stays for ever. An attempt that may have moved money is never deleted, and neither is any entry of its history.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
CREATE FUNCTION refuse_forgetting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM payment_attempt WHERE id = OLD.attempt_id AND state NOT IN ('rejected', 'work_failed'))
    OR OLD.state IN ('answer_stored', 'settling', 'settled', 'settle_failed', 'settle_unknown', 'lost') THEN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER "payment_event_append_only" BEFORE UPDATE ON "payment_event"
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "payment_event_is_kept" BEFORE DELETE ON "payment_event"
  FOR EACH ROW EXECUTE FUNCTION refuse_forgetting();

-- Owners

CREATE TABLE "sign_in_nonce" (
    "address" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_nonce_pkey" PRIMARY KEY ("address", "nonce")
);
CREATE INDEX "sign_in_nonce_expires_at_idx" ON "sign_in_nonce"("expires_at");

CREATE TABLE "subscription" (
    "id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "payer" TEXT,
    "key_hash" TEXT NOT NULL,
    "payment_digest" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "subscription_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "subscription_key_hash_key" ON "subscription"("key_hash");
CREATE UNIQUE INDEX "subscription_payment_digest_key" ON "subscription"("payment_digest");
CREATE INDEX "subscription_domain_payer_idx" ON "subscription"("domain", "payer");

CREATE TABLE "claim" (
    "id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "caller" TEXT NOT NULL,
    "key_hash" TEXT NOT NULL,
    "challenge" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "level" TEXT,
    "level_since" TIMESTAMPTZ(3),
    "last_seen_at" TIMESTAMPTZ(3),
    "missing" BOOLEAN NOT NULL DEFAULT false,
    "asked_at" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3),
    "unseen_checks" INTEGER NOT NULL DEFAULT 0,
    "finding" JSONB,
    "name_servers" TEXT[] NOT NULL DEFAULT '{}',

    CONSTRAINT "claim_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "claim_key_hash_key" ON "claim"("key_hash");
CREATE INDEX "claim_domain_idx" ON "claim"("domain");
CREATE INDEX "claim_asked_at_idx" ON "claim"("asked_at");

CREATE TABLE "watch" (
    "id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "host_site" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "site" TEXT NOT NULL,
    "types" TEXT[] NOT NULL,
    "key_hash" TEXT NOT NULL,
    "claim_id" UUID,
    "subscription_id" UUID,
    "payment_digest" TEXT,
    "secret" TEXT,
    "former_secret" TEXT,
    "rotated_at" TIMESTAMPTZ(3),
    "state" TEXT NOT NULL DEFAULT 'pending',
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "alerts_left" INTEGER,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "paused_until" TIMESTAMPTZ(3),
    "slow" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "watch_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "watch_claim_id_fkey" FOREIGN KEY ("claim_id") REFERENCES "claim"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "watch_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscription"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "watch_key_hash_key" ON "watch"("key_hash");
CREATE UNIQUE INDEX "watch_payment_digest_key" ON "watch"("payment_digest");
CREATE INDEX "watch_domain_idx" ON "watch"("domain");
CREATE INDEX "watch_host_site_idx" ON "watch"("host_site");
CREATE INDEX "watch_claim_id_idx" ON "watch"("claim_id");
CREATE INDEX "watch_subscription_id_idx" ON "watch"("subscription_id");
CREATE INDEX "watch_ends_at_idx" ON "watch"("ends_at");

CREATE TABLE "watched_host" (
    "domain" TEXT NOT NULL,
    "seq" INTEGER NOT NULL DEFAULT 0,
    "silent" INTEGER NOT NULL DEFAULT 0,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "in_hour" INTEGER NOT NULL DEFAULT 0,
    "held" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "watched_host_pkey" PRIMARY KEY ("domain")
);
CREATE INDEX "watched_host_hour_idx" ON "watched_host"("hour");

CREATE TABLE "alert" (
    "id" TEXT NOT NULL,
    "domain" TEXT NOT NULL,
    "seq" INTEGER,
    "type" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "coalesced" INTEGER,
    "subject" TEXT,
    "changes" JSON NOT NULL DEFAULT '[]',
    "changes_omitted" INTEGER NOT NULL DEFAULT 0,
    "fanned_out" UUID,
    "fan_out_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "alert_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "alert_at_idx" ON "alert"("at");
-- Alerts whose deliveries are not all written yet.
CREATE INDEX "alert_fan_out_idx" ON "alert"("fanned_out", "at") WHERE "fanned_out" IS NOT NULL;

CREATE TABLE "alert_delivery" (
    "watch_id" UUID NOT NULL,
    "alert_id" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'due',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "tried_at" TIMESTAMPTZ(3),
    "status" INTEGER,
    "ms" INTEGER,
    "outcome" TEXT,
    "excerpt" TEXT,

    CONSTRAINT "alert_delivery_pkey" PRIMARY KEY ("watch_id", "alert_id"),
    CONSTRAINT "alert_delivery_watch_id_fkey" FOREIGN KEY ("watch_id") REFERENCES "watch"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "alert_delivery_alert_id_fkey" FOREIGN KEY ("alert_id") REFERENCES "alert"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "alert_delivery_alert_id_idx" ON "alert_delivery"("alert_id");
CREATE INDEX "alert_delivery_due_idx" ON "alert_delivery"("next_at") WHERE "state" = 'due';

CREATE TABLE "webhook_key" (
    "kid" TEXT NOT NULL,
    "signing" TEXT NOT NULL,
    "sealing" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_key_pkey" PRIMARY KEY ("kid")
);

-- What all processes share

-- A crash may lose counters: each protects for some time only, and none is money.
CREATE UNLOGGED TABLE "limit_counter" (
    "key" TEXT NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,
    "note" TEXT,

    CONSTRAINT "limit_counter_pkey" PRIMARY KEY ("key")
);
CREATE INDEX "limit_counter_expire_idx" ON "limit_counter"("expire");

CREATE TABLE "server_secret" (
    "purpose" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "server_secret_pkey" PRIMARY KEY ("purpose")
);
