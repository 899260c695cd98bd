import type { Statement } from "@/lib/platform/db";

/**
 * $1 tenant, $2 environment, $3 days, then ids that bound these days, one more than there are days:
 * $4 of conversations,
 * $5 of messages; $6 the same as times, the first one before everything, so that what was stored
 * earlier counts for the first day. A day that is not in conversation_days is counted from its
 * rows. Ids are in the order of time, so each day is one stretch of the primary key's index, read
 * there alone.
 */
export const usageStatement: Statement = {
  name: "usage",
  text: `
  SELECT requested.requests AS "apiRequests",
    coalesce(counted.conversations_created, conversation.created)::float8 AS "conversationsCreated",
    coalesce(counted.messages_received, message.received)::float8 AS "messagesReceived",
    coalesce(counted.messages_sent, message.sent)::float8 AS "messagesSent",
    stored.documents AS "documentsStored", stored.bytes AS "storageBytes",
    coalesce(delivery.attempts, 0) AS "webhookDeliveries", coalesce(delivery.failures, 0) AS "webhookFailures"
  FROM unnest($3::date[]) WITH ORDINALITY AS d (day, place)
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(api_requests), 0)::float8 AS requests FROM usage_days
    WHERE tenant_id = $1 AND environment = $2::"Environment" AND day = d.day
  ) AS requested
  LEFT JOIN conversation_days counted ON counted.tenant_id = $1 AND counted.environment = $2::"Environment" AND counted.day = d.day
  CROSS JOIN LATERAL (
    SELECT count(*) AS created FROM conversations
    WHERE counted.day IS NULL AND tenant_id = $1 AND environment = $2::"Environment" AND id >= ($4::text[])[d.place] AND id < ($4::text[])[d.place + 1]
  ) AS conversation
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE direction = 'INBOUND') AS received, count(*) FILTER (WHERE direction = 'OUTBOUND') AS sent
    FROM messages
    WHERE counted.day IS NULL AND tenant_id = $1 AND environment = $2::"Environment" AND id >= ($5::text[])[d.place] AND id < ($5::text[])[d.place + 1]
  ) AS message
  CROSS JOIN LATERAL (
    SELECT count(*)::float8 AS documents, coalesce(sum(size_bytes), 0)::float8 AS bytes FROM documents
    WHERE tenant_id = $1 AND environment = $2::"Environment"
      AND created_at >= ($6::timestamptz[])[d.place] AND created_at < ($6::timestamptz[])[d.place + 1]
  ) AS stored
  LEFT JOIN delivery_days delivery ON delivery.tenant_id = $1 AND delivery.environment = $2::"Environment" AND delivery.day = d.day
  ORDER BY d.place`,
};

/**
 * Arrays of the same length: $1 tenants, $2 environments, $3 days, $4 keys, $5 requests. In one
 * order, so that two processes never wait for each other.
 */
export const addRequestsStatement: Statement = {
  name: "usage_add_requests",
  text: `
  INSERT INTO usage_days AS u (tenant_id, environment, day, api_key_id, api_requests)
  SELECT * FROM unnest($1::text[], $2::text[]::"Environment"[], $3::date[], $4::text[], $5::int[]) AS counted (tenant_id, environment, day, api_key_id, requests)
  ORDER BY tenant_id, environment, day, api_key_id
  ON CONFLICT (tenant_id, environment, day, api_key_id) DO UPDATE SET api_requests = u.api_requests + excluded.api_requests`,
};
