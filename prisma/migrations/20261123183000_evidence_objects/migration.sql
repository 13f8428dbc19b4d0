-- The bytes of evidence may be in a bucket: the row has their key and number then, and empty bytes.
ALTER TABLE "evidence" ADD COLUMN "object" TEXT, ADD COLUMN "size" INTEGER;
ALTER TABLE "evidence_body" ADD COLUMN "object" TEXT, ADD COLUMN "size" INTEGER;

CREATE TABLE "stray_object" (
    "object" TEXT NOT NULL,
    "due" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stray_object_pkey" PRIMARY KEY ("object")
);
CREATE INDEX "stray_object_due_idx" ON "stray_object"("due");

-- However a row goes, its object goes after it.
CREATE FUNCTION leave_object() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stray_object (object, due) VALUES (OLD.object, now());
  RETURN NULL;
END $$;
CREATE TRIGGER "evidence_leaves_object" AFTER DELETE ON "evidence"
  FOR EACH ROW WHEN (OLD.object IS NOT NULL) EXECUTE FUNCTION leave_object();
CREATE TRIGGER "evidence_body_leaves_object" AFTER DELETE ON "evidence_body"
  FOR EACH ROW WHEN (OLD.object IS NOT NULL) EXECUTE FUNCTION leave_object();
