-- AlterTable
ALTER TABLE "agent_versions" ADD COLUMN     "restored_version" INTEGER;

-- CreateIndex
CREATE INDEX "agents_tenant_id_environment_status_id_idx" ON "agents"("tenant_id", "environment", "status", "id");
