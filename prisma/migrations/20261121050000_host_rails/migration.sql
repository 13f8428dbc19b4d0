-- CreateTable
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

    CONSTRAINT "host_rail_pkey" PRIMARY KEY ("domain","position")
);

-- What the schema language cannot say: only payable rails are looked for, in the order of their hosts.
CREATE INDEX "host_rail_payable_idx" ON "host_rail"("domain", "position") WHERE "payable";
CREATE INDEX "host_rail_payable_network_idx" ON "host_rail"("network", "domain") WHERE "payable";
