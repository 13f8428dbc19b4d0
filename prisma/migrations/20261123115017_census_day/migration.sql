CREATE TABLE "census_day" (
    "day" DATE NOT NULL,
    "before" DATE,
    "figures" JSONB NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "census_day_pkey" PRIMARY KEY ("day")
);
