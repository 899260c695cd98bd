import { claim, eventAndDeliveries, partition } from "@/lib/events/outbox.sql";
import type { Statement } from "@/lib/platform/db";
import { firstIdAt } from "@/lib/resources/ids";
import type { ConversationModel } from "@/prisma/generated/models";
import {
  type ConversationStatus,
  conversationStatuses,
  type ListConversations,
  type ListInbox,
  nobody,
} from "./schema";

export type ConversationRow = ConversationModel;

export const conversationColumns = `tenant_id AS "tenantId", environment, id, status, channel_id AS "channelId",
  customer_id AS "customerId", agent_id AS "agentId", assignee_id AS "assigneeId", subject, priority, tags, metadata,
  external_id AS "externalId", message_count AS "messageCount", last_message_at AS "lastMessageAt",
  last_message_preview AS "lastMessagePreview", snoozed_until AS "snoozedUntil", resolved_at AS "resolvedAt",
  closed_at AS "closedAt", created_at AS "createdAt", updated_at AS "updatedAt"`;

type Filters = Omit<ListConversations, "cursor" | "limit" | "order"> &
  Pick<ListInbox, "assigneeId">;

/** Each filter's condition; `#` stands for the parameter's number. */
const conditions: Record<keyof Filters, string> = {
  status: `status = ANY ($#::"ConversationStatus"[])`,
  channelId: "channel_id = $#",
  customerId: "customer_id = $#",
  agentId: "agent_id = $#",
  externalId: "external_id = $#",
  tag: `EXISTS (SELECT 1 FROM conversation_tags t WHERE t.tenant_id = $1 AND t.environment = $2::"Environment"
    AND t.tag = $# AND t.conversation_id = conversations.id)`,
  updatedSince: "updated_at >= $#",
  // The inbox alone has it, whose plans know the value: only one side of it is left.
  assigneeId: `(assignee_id = $# OR $# = '${nobody}' AND assignee_id IS NULL)`,
};

// A single status is compared by equality: that alone lets the index give the rows in their order.
const oneStatus = `status = $#::"ConversationStatus"`;

const filterNames = Object.keys(conditions) as (keyof Filters)[];

/**
 * What a list looks for: $1 tenant id, $2 environment, $3 rows at most, then a value for each
 * filter that is asked for. The name tells which ones these are, by their places in the list.
 */
function search(tenantId: string, environment: string, limit: number, filters: Filters) {
  const values: unknown[] = [tenantId, environment, limit + 1];
  let name = "";
  let where = `tenant_id = $1 AND environment = $2::"Environment"`;
  for (const [place, filter] of filterNames.entries()) {
    const value = filters[filter];
    if (value === undefined) continue;
    const isOneStatus = filter === "status" && filters.status?.length === 1;
    values.push(isOneStatus ? filters.status?.[0] : value);
    name += isOneStatus ? "s" : place;
    where += ` AND ${(isOneStatus ? oneStatus : conditions[filter]).replaceAll("#", String(values.length))}`;
  }
  return { name, where, values };
}

/**
 * A filter alone costs no more than its page, whatever the value: hits, misses and rare ones. Three
 * of them need more than an index in the order of the list for that. Where filters are combined, a
 * plan of its own for their values has to do.
 * `updatedSince` gets one too: a plan for any tenant and time would read and sort all that changed
 * since.
 */
export function listConversationsStatement(
  tenantId: string,
  environment: string,
  query: ListConversations,
) {
  const { limit, order, cursor, ...rest } = query;
  const filters: Filters = rest;
  const given = filterNames.filter((filter) => filters[filter] !== undefined);
  const [only] = given.length === 1 ? given : [];
  const page =
    only === "tag"
      ? byTag
      : only === "updatedSince"
        ? byChange
        : only === "status"
          ? byStatuses
          : null;

  const { name, where, values } = search(tenantId, environment, limit, filters);
  if (only === "status") values[3] = filters.status;
  if (only === "updatedSince" && filters.updatedSince)
    values.push(firstIdAt("conversation", new Date(filters.updatedSince.getTime() - longLivedMs)));
  const beyond =
    cursor === undefined ? "" : `AND id ${order === "asc" ? ">" : "<"} $${values.push(cursor)}`;
  const text = page
    ? page(order, beyond)
    : `SELECT ${conversationColumns} FROM conversations WHERE ${where} ${beyond} ORDER BY id ${order} LIMIT $3`;
  const statement: Statement =
    given.length > 1 || only === "updatedSince"
      ? { text }
      : {
          name: `list_conversations_${order}_${only === "status" ? only : name}_${beyond !== ""}`,
          text,
        };
  return { statement, values };
}

type Page = (order: ListConversations["order"], beyond: string) => string;

const inPartition = `tenant_id = $1 AND environment = $2::"Environment"`;

/** $4 the tag. An index of an array has no order, so tags have a table of their own. */
const byTag: Page = (order, beyond) => `
  SELECT ${conversationColumns} FROM conversations
  WHERE ${inPartition} AND id = ANY (ARRAY(
    SELECT id FROM (SELECT tenant_id, environment, tag, conversation_id AS id FROM conversation_tags) AS tagged
    WHERE ${inPartition} AND tag = $4 ${beyond} ORDER BY id ${order} LIMIT $3
  ))
  ORDER BY id ${order}`;

/**
 * $4 the statuses. A page of each, because only within one of them the index gives the order. The
 * two bounds stand for equality: they leave the planner no other index with this order.
 */
const byStatuses: Page = (order, beyond) => `
  SELECT page.* FROM unnest($4::"ConversationStatus"[]) AS wanted (status)
  CROSS JOIN LATERAL (
    SELECT ${conversationColumns} FROM conversations
    WHERE ${inPartition} AND conversations.status >= wanted.status AND conversations.status <= wanted.status ${beyond}
    ORDER BY conversations.status ${order}, conversations.id ${order} LIMIT $3
  ) AS page
  ORDER BY page.id ${order} LIMIT $3`;

/** Conversations that changed so long after they began are few, and have an index of their own. */
const longLivedHours = 12;
const longLivedMs = longLivedHours * 3_600_000;

/**
 * $4 since when, $5 the first id of so many hours before. Conversations that began then or later
 * are read in their order, for most of them have changed since; those that began earlier are found
 * among the long-lived ones.
 */
const byChange: Page = (order, beyond) => {
  // The sum keeps the planner from the index by time, where it would read and sort every
  // conversation that changed since.
  const recent = `SELECT id FROM conversations WHERE ${inPartition} AND id >= $5 AND updated_at + interval '0' >= $4 ${beyond} ORDER BY id ${order} LIMIT $3`;
  const older = `SELECT id FROM (
      SELECT id FROM conversations
      WHERE ${inPartition} AND updated_at >= $4 AND updated_at - created_at > interval '${longLivedHours} hours' AND id < $5 ${beyond}
      ORDER BY updated_at, id OFFSET 0
    ) AS changed ORDER BY id ${order} LIMIT $3`;
  const [first, second] = order === "asc" ? [older, recent] : [recent, older];
  return `
  WITH first AS MATERIALIZED (${first}),
  second AS MATERIALIZED (SELECT id FROM (${second}) AS rest WHERE (SELECT count(*) FROM first) < $3)
  SELECT ${conversationColumns} FROM conversations
  WHERE ${inPartition} AND id = ANY (ARRAY(SELECT id FROM first UNION ALL SELECT id FROM second))
  ORDER BY id ${order} LIMIT $3`;
};

export function listInboxStatement(
  tenantId: string,
  environment: string,
  limit: number,
  { cursor, ...filters }: ListInbox,
) {
  const { where, values } = search(tenantId, environment, limit, filters);
  const beyond =
    cursor &&
    `AND (updated_at, id) < ($${values.push(cursor.updatedAt)}, $${values.push(cursor.id)})`;
  const text = `SELECT ${conversationColumns} FROM conversations WHERE ${where} ${beyond ?? ""} ORDER BY updated_at DESC, id DESC LIMIT $3`;
  // Without a name: a status may be that of few conversations or of nearly all.
  return { statement: { text } satisfies Statement, values };
}

const countUpTo = (status: ConversationStatus) => `(
    SELECT count(*)::int FROM (
      SELECT 1 FROM conversations WHERE tenant_id = $1 AND environment = $2::"Environment" AND status = '${status}' ORDER BY id LIMIT $3
    ) AS bounded
  ) AS "${status}"`;

/**
 * $1 tenant id, $2 environment, $3 how far each status is counted. Each has a plan of its own, and
 * its order is that of the index, so that no plan can be better than to read so many entries there.
 */
export const countInboxStatement: Statement = {
  name: "count_inbox",
  text: `SELECT ${conversationStatuses.map(countUpTo).join(", ")}`,
};

/**
 * The common parameters $1 to $11, then $12 conversation id, $13 channel id, $14 subject, $15
 * priority, $16 tags,
 * $17 metadata, $18 external id, and of the first message, if there is one: $19 id, $20 direction,
 * $21–$23 author,
 * $24 text, $25 external id, $26 metadata, $27 preview.
 */
export const createConversationStatement: Statement = {
  name: "create_conversation",
  text: `
  WITH ${claim({ from: "(SELECT 1) AS always" })},
  go AS (SELECT 1 WHERE $4::text IS NULL OR EXISTS (SELECT 1 FROM claim)),
  conversation AS (
    INSERT INTO conversations (tenant_id, environment, id, channel_id, subject, priority, tags, metadata, external_id,
      message_count, last_message_at, last_message_preview, created_at, updated_at)
    SELECT ${partition}, $12::text, $13::text, $14::text, $15::"Priority", $16::text[], $17::jsonb, $18::text,
      CASE WHEN $19::text IS NULL THEN 0 ELSE 1 END, CASE WHEN $19::text IS NOT NULL THEN $3::timestamptz END, $27::text,
      $3::timestamptz, $3::timestamptz FROM go
  ),
  message AS (
    INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, author_id, author_name,
      text, external_id, metadata, created_at)
    SELECT ${partition}, $19::text, $12::text, 1, $20::"Direction", $21::"AuthorType", $22::text, $23::text,
      $24::text, $25::text, $26::jsonb, $3::timestamptz FROM go WHERE $19::text IS NOT NULL
  ),
  ${eventAndDeliveries()}
  SELECT ARRAY(SELECT id FROM delivery) AS deliveries FROM go`,
};
