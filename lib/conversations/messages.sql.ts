import { claim, eventAndDeliveries, partition } from "@/lib/events/outbox.sql";
import type { Statement } from "@/lib/platform/db";
import type { MessageModel } from "@/prisma/generated/models";

export type MessageRow = MessageModel;

const columns = `tenant_id AS "tenantId", environment, id, conversation_id AS "conversationId", sequence, direction, author_type AS "authorType",
  author_id AS "authorId", author_name AS "authorName", text, external_id AS "externalId", metadata, created_at AS "createdAt"`;

/**
 * $1 tenant id, $2 environment, $3 conversation id, $4 cursor, $5 rows at most. The order is that
 * of `sequence`. The cursor's own sequence is looked up; should that message be gone, that of the
 * last one before it stands in.
 */
function listMessages(order: "asc" | "desc", hasCursor: boolean): Statement {
  const within = `tenant_id = $1 AND environment = $2::"Environment" AND conversation_id = $3`;
  // What comes after the last message before the cursor: for `desc` that one is itself the next.
  const step = order === "asc" ? 0 : 1;
  const position = `coalesce(
    (SELECT sequence FROM messages WHERE ${within} AND id = $4),
    (SELECT max(sequence) + ${step} FROM messages WHERE ${within} AND id < $4),
    ${step})`;
  const after = hasCursor
    ? `AND sequence ${order === "asc" ? ">" : "<"} ${position}`
    : "AND $4::text IS NULL";
  return {
    name: `list_messages_${order}_${hasCursor}`,
    text: `SELECT ${columns} FROM messages WHERE ${within} ${after} ORDER BY sequence ${order} LIMIT $5`,
  };
}

const listStatements = {
  asc: { first: listMessages("asc", false), next: listMessages("asc", true) },
  desc: { first: listMessages("desc", false), next: listMessages("desc", true) },
};

export const listMessagesStatement = (order: "asc" | "desc", hasCursor: boolean) =>
  listStatements[order][hasCursor ? "next" : "first"];

/**
 * The common parameters $1 to $11, then $12 the response's body and $13 the event's payload from
 * the author's name to the time,
 * $14 conversation id, $15 whether the author is not a customer, $16 message id, $17 direction,
 * $18–$20 author, $21 text,
 * $22 external id, $23 metadata, $24 preview or null for a note, $25 both texts between the
 * sequence and the author's id, $26 the rest of the body, $27 the payload between its own time and
 * the sequence, $28 the rest of the payload.
 *
 * The conversation's row is locked first, which gives simultaneous messages their order; a record
 * or a sequence is written only where the message is. Their time is decided under that lock, too:
 * $3, but never before the conversation's last change, so that times follow the sequence. A
 * customer's message without an author's id is that of the conversation's customer. `own` is the
 * part of both texts that this statement alone knows, from the sequence to the author's name.
 */
export const postMessageStatement: Statement = {
  name: "post_message",
  text: `
  WITH target AS (
    SELECT message_count + 1 AS sequence, customer_id, greatest($3::timestamptz, updated_at) AS at FROM conversations
    WHERE tenant_id = $1 AND environment = $2::"Environment" AND id = $14::text
      AND (status IN ('OPEN', 'PENDING') OR (status <> 'CLOSED' AND $15::boolean))
    FOR NO KEY UPDATE
  ),
  authored AS (
    SELECT sequence, at, coalesce($19::text, c.id) AS author_id, coalesce($20::text, c.name) AS author_name
    FROM target LEFT JOIN customers c ON NOT $15::boolean AND $19::text IS NULL
      AND c.tenant_id = $1 AND c.environment = $2::"Environment" AND c.id = target.customer_id
  ),
  written AS (
    SELECT *, sequence || $25::text || coalesce(to_json(author_id)::text, 'null')
      || ',"name":' || coalesce(to_json(author_name)::text, 'null') AS own,
      to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at_text
    FROM authored
  ),
  ${claim({ from: "written", body: "$7::text || own || $12::text || at_text || $26::text" })},
  go AS (SELECT * FROM written WHERE $4::text IS NULL OR EXISTS (SELECT 1 FROM claim)),
  conversation AS (
    UPDATE conversations SET message_count = go.sequence, updated_at = go.at,
      last_message_at = CASE WHEN $24::text IS NULL THEN last_message_at ELSE go.at END,
      last_message_preview = coalesce($24::text, last_message_preview)
    FROM go WHERE tenant_id = $1 AND environment = $2::"Environment" AND id = $14::text
  ),
  message AS (
    INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, author_id, author_name,
      text, external_id, metadata, created_at)
    SELECT ${partition}, $16::text, $14::text, sequence, $17::"Direction", $18::"AuthorType", author_id, author_name,
      $21::text, $22::text, $23::jsonb, at FROM go
  ),
  ${eventAndDeliveries({ payload: "e.payload || go.at_text || $27::text || go.own || $13::text || go.at_text || $28::text", at: "go.at" })}
  SELECT own, at_text AS "createdAt", ARRAY(SELECT id FROM delivery) AS deliveries FROM go`,
};
