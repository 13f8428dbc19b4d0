-- When somebody read or bought a report last, at most a day too early. Those that are there count as read now.
ALTER TABLE "host" ADD COLUMN "last_read_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now();
