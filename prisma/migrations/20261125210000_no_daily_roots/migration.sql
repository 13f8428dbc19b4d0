-- contracts 0.2.0: the roots of days and the log of statements were never released
DROP TABLE "daily_root";
DROP TABLE "statement_log";
