import type { Partition } from "@/lib/platform/caller";
import { bindings, type Query, sql } from "@/lib/platform/sql";
import { bindFilters, bindPartition, type Within } from "./list.sql";
import { type ConversationStatus, conversationStatuses, type ListInbox } from "./schema";
import { conversationFields } from "./service.sql";

/**
 * The maximum number of conversations that are checked for unread messages. Unread ones are rarely
 * far down the list, and a list without any must not be read to its end.
 */
export const mostCheckedForUnread = 2_000;

/** Most urgent first. */
const priorities = ["URGENT", "HIGH", "NORMAL", "LOW"] as const;

/** Without a name: a status may be that of few conversations or of nearly all. */
export function listInboxStatement(
  partition: Partition,
  viewerId: string,
  limit: number,
  { cursor, sort, unread, ...filters }: ListInbox,
): Query {
  const { bind, values } = bindings();
  const within = bindPartition(bind, partition);
  const matching = bindFilters(bind, within, filters);
  const viewer = unread && bind("text", viewerId);
  const most = bind("int", limit + 1);
  const direction = sort === "oldest" ? "ASC" : "DESC";
  const order = `ORDER BY updated_at ${direction}, id ${direction}`;
  const page = (where: string) =>
    viewer
      ? `SELECT ${conversationFields} FROM (SELECT * FROM conversations WHERE ${where} ${order} LIMIT ${mostCheckedForUnread}) AS conversations
    ${withVisit(within, viewer)} ${order} LIMIT ${most}`
      : `SELECT ${conversationFields} FROM conversations WHERE ${where} ${order} LIMIT ${most}`;

  const beyond = cursor
    ? ` AND (updated_at, id) ${sort === "oldest" ? ">" : "<"} (${bind("timestamptz", cursor.updatedAt)}, ${bind("text", cursor.id)})`
    : "";
  if (sort !== "priority") return { text: page(`${matching}${beyond}`), values };
  // A page of each priority, because only those that are not NORMAL have an index by priority.
  const first = cursor ? priorities.indexOf(cursor.priority) : 0;
  const pages = priorities
    .slice(first)
    .map((each, index) => page(`${matching} AND priority = '${each}'${index === 0 ? beyond : ""}`));
  const rank = `array_position('{${priorities.join()}}'::"Priority"[], priority)`;
  const text = `SELECT * FROM (${pages.map((each) => `(${each})`).join(" UNION ALL ")}) AS pages
    ORDER BY ${rank}, "updatedAt" DESC, id DESC LIMIT ${most}`;
  return { text, values };
}

/**
 * Joins what the viewer has seen, and selects the conversations that have a newer message of the
 * customer.
 */
const withVisit = ({ tenantId, environment }: Within, viewerId: string) => `
  LEFT JOIN LATERAL (
    SELECT v.seen_sequence FROM conversation_visits v
    WHERE v.tenant_id = ${tenantId} AND v.environment = ${environment} AND v.conversation_id = conversations.id AND v.user_id = ${viewerId}
  ) AS visit ON true
  WHERE message_count > coalesce(visit.seen_sequence, 0) AND EXISTS (
    SELECT 1 FROM messages m
    WHERE m.tenant_id = ${tenantId} AND m.environment = ${environment} AND m.conversation_id = conversations.id
      AND m.sequence > coalesce(visit.seen_sequence, 0) AND m.direction = 'INBOUND'
  )`;

/** Which of these conversations the viewer has not read. */
export const unreadStatement = sql(
  "unread_conversations",
  { tenantId: "text", environment: "Environment", viewerId: "text", ids: "text[]" },
  (p) => `
  SELECT conversations.id FROM (
    SELECT id, message_count FROM conversations
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ANY (${p.ids})
  ) AS conversations ${withVisit({ ...p, partition: "" }, p.viewerId)}`,
);

/**
 * Counts the conversations in each status, up to `limit`. Each count has its own plan and the order
 * of the index, so that no plan is better than reading that many entries of the index.
 */
export const countInboxStatement = sql(
  "count_inbox",
  { tenantId: "text", environment: "Environment", limit: "int" },
  (p) => {
    const countOf = (status: ConversationStatus) => `(
    SELECT count(*)::int FROM (
      SELECT 1 FROM conversations
      WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND status = '${status}' ORDER BY id LIMIT ${p.limit}
    ) AS bounded
  ) AS "${status}"`;
    return `SELECT ${conversationStatuses.map(countOf).join(", ")}`;
  },
);
