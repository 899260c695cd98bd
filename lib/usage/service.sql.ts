import { sql } from "@/lib/platform/sql";

/**
 * The ids are the first ones of each day and of the day after the last one, so there is one more of
 * each than there are days. Earlier documents and files count for the first day. A day that is not in
 * conversation_days is counted from its rows. Ids are ordered by time, so each day is one range of
 * the primary key's index, and only the index is read.
 */
export const usageStatement = sql(
  "usage",
  {
    tenantId: "text",
    environment: "Environment",
    days: "date[]",
    conversationIds: "text[]",
    messageIds: "text[]",
  },
  (p) => `
  SELECT requested.requests AS "apiRequests",
    coalesce(counted.conversations_created, conversation.created + coalesce(deleted.conversations_created, 0))::float8 AS "conversationsCreated",
    coalesce(counted.messages_received, message.received + coalesce(deleted.messages_received, 0))::float8 AS "messagesReceived",
    coalesce(counted.messages_sent, message.sent + coalesce(deleted.messages_sent, 0))::float8 AS "messagesSent",
    stored.documents AS "documentsStored", stored.files AS "filesStored", stored.bytes AS "storageBytes",
    coalesce(delivery.attempts, 0) AS "webhookDeliveries", coalesce(delivery.failures, 0) AS "webhookFailures"
  FROM unnest(${p.days}) WITH ORDINALITY AS d (day, place)
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(api_requests), 0)::float8 AS requests FROM usage_days
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND day = d.day
  ) AS requested
  LEFT JOIN conversation_days counted ON counted.tenant_id = ${p.tenantId} AND counted.environment = ${p.environment} AND counted.day = d.day
  CROSS JOIN LATERAL (
    SELECT count(*) AS created FROM conversations
    WHERE counted.day IS NULL AND tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id >= (${p.conversationIds})[d.place] AND id < (${p.conversationIds})[d.place + 1]
  ) AS conversation
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE direction = 'INBOUND') AS received, count(*) FILTER (WHERE direction = 'OUTBOUND') AS sent
    FROM messages
    WHERE counted.day IS NULL AND tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id >= (${p.messageIds})[d.place] AND id < (${p.messageIds})[d.place + 1]
  ) AS message
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(documents), 0)::float8 AS documents, coalesce(sum(files), 0)::float8 AS files, coalesce(sum(size_bytes), 0)::float8 AS bytes
    FROM storage_days WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment}
      AND day BETWEEN CASE WHEN d.place = 1 THEN '-infinity' ELSE d.day END AND d.day
  ) AS stored
  LEFT JOIN deleted_days deleted ON deleted.tenant_id = ${p.tenantId} AND deleted.environment = ${p.environment} AND deleted.day = d.day
  LEFT JOIN delivery_days delivery ON delivery.tenant_id = ${p.tenantId} AND delivery.environment = ${p.environment} AND delivery.day = d.day
  ORDER BY d.place`,
);

/**
 * The arrays have the same length. Rows are written in one order, so that two processes never wait
 * for each other. A writer numbers its batches from 1. A batch that was added before is not added
 * again, so a writer that got no response can repeat it.
 */
export const addRequestsStatement = sql(
  "usage_add_requests",
  {
    writerId: "text",
    batch: "int",
    tenantIds: "text[]",
    environments: "Environment[]",
    days: "date[]",
    apiKeyIds: "text[]",
    requests: "int[]",
  },
  (p) => `
  WITH new_batch AS (
    INSERT INTO usage_writers AS w (id, last_batch, written_on) VALUES (${p.writerId}, ${p.batch}, current_date)
    ON CONFLICT (id) DO UPDATE SET last_batch = excluded.last_batch, written_on = excluded.written_on
    WHERE w.last_batch < excluded.last_batch
    RETURNING 1
  )
  INSERT INTO usage_days AS u (tenant_id, environment, day, api_key_id, api_requests)
  SELECT counted.* FROM new_batch, unnest(${p.tenantIds}, ${p.environments}, ${p.days}, ${p.apiKeyIds}, ${p.requests}) AS counted (tenant_id, environment, day, api_key_id, requests)
  ORDER BY tenant_id, environment, day, api_key_id
  ON CONFLICT (tenant_id, environment, day, api_key_id) DO UPDATE SET api_requests = u.api_requests + excluded.api_requests`,
);
