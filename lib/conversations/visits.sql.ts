import { sql } from "@/lib/platform/sql";

/**
 * Notes that a member has a conversation on their screen, and returns who else does. Their row is
 * written at most every ten seconds, unless there is a newer message.
 */
export const visitStatement = sql(
  "visit_conversation",
  {
    tenantId: "text",
    environment: "Environment",
    conversationId: "text",
    viewerId: "text",
    seenSequence: "int",
  },
  (p) => `
  WITH visit AS (
    INSERT INTO conversation_visits AS v (tenant_id, environment, conversation_id, user_id, seen_sequence, present_at)
    SELECT tenant_id, environment, id, ${p.viewerId}, ${p.seenSequence}, now() FROM conversations
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.conversationId}
    ON CONFLICT (tenant_id, environment, conversation_id, user_id) DO UPDATE
      SET seen_sequence = greatest(v.seen_sequence, excluded.seen_sequence), present_at = excluded.present_at
      WHERE v.seen_sequence < excluded.seen_sequence OR v.present_at < excluded.present_at - interval '10 seconds'
  )
  SELECT u.name FROM conversation_visits v JOIN users u ON u.id = v.user_id
  WHERE v.tenant_id = ${p.tenantId} AND v.environment = ${p.environment} AND v.conversation_id = ${p.conversationId}
    AND v.user_id <> ${p.viewerId} AND v.present_at > now() - interval '30 seconds'
  ORDER BY u.name LIMIT 5`,
);
