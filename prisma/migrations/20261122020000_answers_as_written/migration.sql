-- jsonb sorts the members of an object by length; what is sent to people keeps the order it was written in.
ALTER TABLE "probe_run" ALTER COLUMN "outcome" TYPE JSON;
ALTER TABLE "change_event" ALTER COLUMN "before" TYPE JSON, ALTER COLUMN "after" TYPE JSON;
