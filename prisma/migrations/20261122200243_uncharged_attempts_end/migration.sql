-- History is append-only, and goes with its attempt when that ended without a charge: nothing that anybody can make up
-- stays for ever. An attempt that may have moved money is never deleted, and neither is any entry of its history.
CREATE FUNCTION refuse_forgetting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM payment_attempt WHERE id = OLD.attempt_id AND state NOT IN ('rejected', 'work_failed'))
    OR OLD.state IN ('answer_stored', 'settling', 'settled', 'settle_failed', 'settle_unknown', 'lost') THEN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
  END IF;
  RETURN OLD;
END $$;
DROP TRIGGER "payment_event_append_only" ON "payment_event";
CREATE TRIGGER "payment_event_append_only" BEFORE UPDATE ON "payment_event"
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "payment_event_is_kept" BEFORE DELETE ON "payment_event"
  FOR EACH ROW EXECUTE FUNCTION refuse_forgetting();
