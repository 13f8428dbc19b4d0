-- Arguments of a run beyond its domain, for kinds that have some (a URL and a method, for example).
ALTER TABLE "probe_run" ADD COLUMN "args" JSONB;
