-- contracts 0.2.0: the table of figures was never released
DROP TABLE "census_day";
