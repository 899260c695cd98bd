import { sql } from "@/lib/platform/sql";

/** Files of a deleted conversation are in the table until a job deletes them with their messages. */
export const isMessageReadableStatement = sql(
  "is_message_of_file_readable",
  { tenantId: "text", environment: "Environment", messageId: "text" },
  (p) => `
  SELECT 1 AS readable FROM messages m
  JOIN conversations c ON c.tenant_id = m.tenant_id AND c.environment = m.environment AND c.id = m.conversation_id
  WHERE m.tenant_id = ${p.tenantId} AND m.environment = ${p.environment} AND m.id = ${p.messageId}`,
);

/** In the order of their ids, so that two messages with the same files never wait for each other. */
export const lockFilesStatement = sql(
  "lock_files",
  { tenantId: "text", environment: "Environment", ids: "text[]" },
  (p) => `
  SELECT id, name, content_type AS "contentType", size_bytes AS "sizeBytes", message_id AS "messageId" FROM files
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ANY (${p.ids})
  ORDER BY id FOR UPDATE`,
);

export const deleteFilesStatement = sql(
  "delete_files_of_messages",
  { tenantId: "text", environment: "Environment", messageIds: "text[]" },
  (p) => `
  DELETE FROM files
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND message_id = ANY (${p.messageIds})
  RETURNING id`,
);
