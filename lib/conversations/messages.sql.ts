import { filterableRow } from "@/lib/events/filter.sql";
import {
  changeParameters,
  eventParameters,
  hasRecord,
  isFirst,
  locksKey,
  recordParameters,
  writeEvents,
  writeRecord,
} from "@/lib/events/outbox.sql";
import { changeSql } from "@/lib/platform/change-sql";
import { lookupSql } from "@/lib/platform/lookup-sql";
import { type References, sql } from "@/lib/platform/sql";
import { rowSteps } from "@/lib/resources/pages";
import type { MessageModel } from "@/prisma/generated/models";

/** A message's row, with its time as the API returns it. */
export type MessageRow = Omit<MessageModel, "tenantId" | "createdAt" | "redactedAt"> & {
  createdAt: string;
  redactedAt: string | null;
};

const columns = `environment, id, conversation_id AS "conversationId", sequence, direction, author_type AS "authorType",
  author_id AS "authorId", author_name AS "authorName", text, attachments, external_id AS "externalId", metadata, created_at AS "createdAt", redacted_at AS "redactedAt"`;

/** Messages of a deleted conversation are in the table until a job deletes them. */
const isReadable = (p: { tenantId: string; environment: string; conversationId: string }) =>
  `(SELECT true FROM conversations c WHERE c.tenant_id = ${p.tenantId} AND c.environment = ${p.environment} AND c.id = ${p.conversationId})`;

export const getMessageStatement = lookupSql(
  "get_message",
  { tenantId: "text", environment: "Environment", id: "text", conversationId: "text" },
  (p) => `
  SELECT ${columns} FROM messages
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.id} AND conversation_id = ${p.conversationId}
    AND ${isReadable(p)}`,
);

export const redactMessageStatement = sql(
  "redact_message",
  { tenantId: "text", environment: "Environment", id: "text", at: "timestamptz" },
  (p) => `
  UPDATE messages SET text = '', attachments = NULL, metadata = '{}', redacted_at = ${p.at}
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.id}`,
);

const listParameters = {
  tenantId: "text",
  environment: "Environment",
  conversationId: "text",
} as const;

type Order = "asc" | "desc";
type Rows = (typeof rowSteps)[number];

const firstPage = (order: Order, rows: Rows) =>
  sql(
    `list_messages_${order}`,
    listParameters,
    (p) => `
  SELECT ${columns} FROM messages
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND conversation_id = ${p.conversationId}
    AND ${isReadable(p)}
  ORDER BY sequence ${order} LIMIT ${rows}`,
  );

/**
 * The page starts after the cursor's own sequence. If that message no longer exists, it starts
 * after the last message before it.
 */
const nextPage = (order: Order, rows: Rows) =>
  sql(`list_messages_${order}_after`, { ...listParameters, cursor: "text" }, (p) => {
    const within = `tenant_id = ${p.tenantId} AND environment = ${p.environment} AND conversation_id = ${p.conversationId}`;
    // In descending order, that last message itself is the next one.
    const step = order === "asc" ? 0 : 1;
    return `
  SELECT ${columns} FROM messages
  WHERE ${within} AND sequence ${order === "asc" ? ">" : "<"} coalesce(
    (SELECT sequence FROM messages WHERE ${within} AND id = ${p.cursor}),
    (SELECT max(sequence) + ${step} FROM messages WHERE ${within} AND id < ${p.cursor}),
    ${step}) AND ${isReadable(p)}
  ORDER BY sequence ${order} LIMIT ${rows}`;
  });

/** A statement for each number of rows. */
const inSteps = <Made>(make: (rows: Rows) => Made) =>
  Object.fromEntries(rowSteps.map((rows) => [rows, make(rows)])) as Record<Rows, Made>;

/** A page of a conversation's messages, in the order of their sequence, by its number of rows. */
export const listMessagesStatements = {
  first: {
    asc: inSteps((rows) => firstPage("asc", rows)),
    desc: inSteps((rows) => firstPage("desc", rows)),
  },
  next: {
    asc: inSteps((rows) => nextPage("asc", rows)),
    desc: inSteps((rows) => nextPage("desc", rows)),
  },
};

const postParameters = {
  ...changeParameters,
  // `responseBody` is the start of the body, and `eventPayload` is the start of the payload.
  ...recordParameters,
  ...eventParameters,
  conversationId: "text",
  messageId: "text",
  direction: "Direction",
  authorType: "AuthorType",
  authorId: "text?",
  authorName: "text?",
  text: "text",
  externalId: "text?",
  metadata: "jsonb",
  /** Null for a note. */
  preview: "text?",
  fromSequenceToAuthorId: "text",
  bodyFromAuthor: "text",
  bodyEnd: "text",
  payloadFromTimestamp: "text",
  payloadFromAuthor: "text",
  payloadEnd: "text",
  payloadFromAgent: "text",
} as const;

type PostReferences = References<typeof postParameters>;

/** The conversation of a message, if its status takes the message without a further change. */
const conversationFor = (p: PostReferences) => `
      FROM conversations WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.conversationId}
        AND (status IN ('OPEN', 'PENDING') OR (status <> 'CLOSED' AND ${p.direction} <> 'INBOUND')) LIMIT 1`;

const numberOne = (p: PostReferences) => `
    SELECT target.*, message_count + 1 AS sequence, greatest(${p.at}, updated_at) AS written_at FROM target`;

/**
 * The messages of a conversation are numbered in the order of their ids. Those that will not be
 * written because of their key must not be counted.
 */
const numberMany = (p: PostReferences, shared: PostReferences) => `
    SELECT shared.*, message_count + row_number() OVER so_far AS sequence,
      max(greatest(${shared.at}, updated_at)) OVER so_far AS written_at
    FROM (
      SELECT target.*, count(*) OVER (PARTITION BY ${conversationOf(p)}) AS messages FROM target WHERE ${locksKey(p)}
    ) AS shared
    WHERE messages = 1 OR NOT ${hasRecord(shared)}
    WINDOW so_far AS (PARTITION BY ${conversationOf(shared)} ORDER BY ${shared.messageId})`;

const conversationOf = (p: PostReferences) =>
  `${p.tenantId}, ${p.environment}, ${p.conversationId}`;

const changeOfOne = (go: PostReferences) => `
      SELECT go.*, CASE WHEN ${go.preview} IS NOT NULL THEN written_at END AS previewed_at FROM go`;

/**
 * A key can get its record after the statement started. Its message is then not written, and its number
 * would be missing, so the division by zero makes the statement fail. Its messages are posted again.
 */
const changeOfMany = (go: PostReferences) => `
      SELECT ${conversationOf(go)}, max(written_at) AS written_at,
        CASE WHEN max(sequence) = min(message_count) + count(*) THEN max(sequence) ELSE max(sequence) / 0 END AS sequence,
        max(written_at) FILTER (WHERE ${go.preview} IS NOT NULL) AS previewed_at,
        (array_agg(${go.preview} ORDER BY sequence DESC) FILTER (WHERE ${go.preview} IS NOT NULL))[1] AS preview
      FROM go GROUP BY ${conversationOf(go)}`;

/**
 * Appends a message, with its idempotency record, event and deliveries.
 *
 * The conversation's row is locked first, which orders concurrent messages; a record or a sequence
 * is written only if the message is. The message's time is decided under that lock too: `at`, but
 * never before the conversation's last change, so that times follow the sequence. A customer's
 * message without an author's id belongs to the conversation's customer.
 *
 * With many messages, those of a locked conversation are left out. Numbering sorts them, so all
 * conversations are locked before the first position in a lane is taken. PostgreSQL would otherwise
 * lock each one when it writes its message, and another process could post to it in between. The later
 * of two messages could then come first in its lane. In the event feed, it still can: a transaction
 * gets its place there with its first lock, before it has the others.
 *
 * `own`, the text from the sequence to the author's name, the time and the agent are known only here. The
 * response's body and the event's payload are put together around them (message-text.ts).
 */
export const postMessageStatement = changeSql(
  "post_message",
  postParameters,
  ({ input, of, isMany }) => {
    const [i, t, a, w, go] = [of("input"), of("target"), of("numbered"), of("written"), of("go")];
    const isInbound = `${a.direction} = 'INBOUND'`;
    return `
  WITH input AS MATERIALIZED (${input}),
  target AS MATERIALIZED (
    SELECT input.*, c.* FROM input CROSS JOIN LATERAL (
      SELECT message_count, updated_at, customer_id, channel_id, tags, priority, assignee_id, agent_id ${conversationFor(i)}
      FOR NO KEY UPDATE${isMany ? " SKIP LOCKED" : ""}
    ) AS c
  ),
  numbered AS (${isMany ? numberMany(t, of("shared")) : numberOne(t)}),
  authored AS (
    SELECT numbered.*, coalesce(${a.authorId}, c.id) AS written_by, coalesce(${a.authorName}, c.name) AS written_by_name,
      a.published_version AS agent_version
    FROM numbered LEFT JOIN LATERAL (
      SELECT id, name FROM customers WHERE ${isInbound} AND ${a.authorId} IS NULL
        AND tenant_id = ${a.tenantId} AND environment = ${a.environment} AND id = numbered.customer_id LIMIT 1
    ) AS c ON true
    LEFT JOIN LATERAL (
      SELECT published_version FROM agents WHERE ${isInbound}
        AND tenant_id = ${a.tenantId} AND environment = ${a.environment} AND id = numbered.agent_id LIMIT 1
    ) AS a ON true
  ),
  written AS (
    SELECT *, sequence || from_sequence_to_author_id || coalesce(to_json(written_by)::text, 'null')
      || ',"name":' || coalesce(to_json(written_by_name)::text, 'null') AS own,
      CASE WHEN direction = 'INBOUND' THEN '"agentId":' || coalesce(to_json(agent_id)::text, 'null')
        || ',"agentVersion":' || coalesce(agent_version::text, 'null') ELSE '' END AS agent_text,
      to_char(written_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at_text
    FROM authored
  ),
  ${writeRecord(w, { from: "written", body: `${w.responseBody} || own || ${w.bodyFromAuthor} || at_text || ${w.bodyEnd}`, lock: isMany ? "held" : "wait" })},
  go AS (SELECT * FROM written WHERE ${isFirst(w)}),
  conversation AS (
    UPDATE conversations c SET message_count = last.sequence, updated_at = last.written_at,
      last_message_at = coalesce(last.previewed_at, last_message_at),
      last_message_preview = coalesce(last.preview, last_message_preview)
    FROM (${isMany ? changeOfMany(go) : changeOfOne(go)}) AS last
    WHERE c.tenant_id = last.tenant_id AND c.environment = last.environment AND c.id = last.conversation_id
  ),
  message AS (
    INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, author_id, author_name,
      text, external_id, metadata, created_at)
    SELECT tenant_id, environment, message_id, conversation_id, sequence, direction, author_type,
      written_by, written_by_name, text, external_id, metadata, written_at FROM go
  ),
  ${writeEvents(go, {
    conversations: filterableRow("go"),
    payload: `e.payload || go.at_text || ${go.payloadFromTimestamp} || go.own || ${go.payloadFromAuthor} || go.at_text || ${go.payloadEnd} || go.agent_text || ${go.payloadFromAgent}`,
    at: "go.written_at",
    isMany,
  })}
  SELECT n, own, at_text AS "createdAt", ARRAY(SELECT id FROM delivery WHERE event_id = ${go.eventId}) AS deliveries, true AS "isMade" FROM go
  ${isMany ? `UNION ALL SELECT n, NULL, NULL, NULL, false FROM input WHERE CASE WHEN n IN (SELECT n FROM go) THEN false ELSE (SELECT true ${conversationFor(i)}) IS NULL OR ${hasRecord(i)} END` : ""}`;
  },
);
