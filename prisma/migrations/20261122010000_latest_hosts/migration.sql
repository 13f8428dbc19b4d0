-- CreateIndex
CREATE INDEX "host_probed_at_idx" ON "host"("probed_at");
