-- Documents are added up by the day on which they were stored, and so is their size, from this index alone.
CREATE INDEX "documents_stored_idx" ON "documents" ("tenant_id", "environment", "created_at") INCLUDE ("size_bytes");
