import {
  changeParameters,
  eventParameters,
  isFirst,
  recordParameters,
  writeEvents,
  writeRecord,
} from "@/lib/events/outbox.sql";
import type { Partition } from "@/lib/platform/caller";
import { bindings, type Query, sql } from "@/lib/platform/sql";
import { firstIdAt } from "@/lib/resources/ids";
import { rowsFor } from "@/lib/resources/pages";
import type { ConversationModel } from "@/prisma/generated/models";
import {
  type ConversationStatus,
  conversationStatuses,
  type ListConversations,
  type ListInbox,
} from "./schema";

export type ConversationRow = ConversationModel;

/** A conversation as the API returns it, in the same order, so that it is printed as it was read. */
export const conversationFields = `id, environment, status, channel_id AS "channelId",
  customer_id AS "customerId", agent_id AS "agentId", assignee_id AS "assigneeId", subject, priority, tags, metadata,
  external_id AS "externalId", message_count AS "messageCount", last_message_at AS "lastMessageAt",
  last_message_preview AS "lastMessagePreview", snoozed_until AS "snoozedUntil", resolved_at AS "resolvedAt",
  closed_at AS "closedAt", created_at AS "createdAt", updated_at AS "updatedAt"`;

export const conversationColumns = `tenant_id AS "tenantId", ${conversationFields}`;

export const getConversationStatement = sql(
  "get_conversation",
  { tenantId: "text", environment: "Environment", id: "text" },
  (p) => `
  SELECT ${conversationFields} FROM conversations
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.id}`,
);

/** The inbox also lists conversations without an assignee, and those of a priority. */
export type Filters = Omit<ListConversations, "cursor" | "limit" | "order" | "assigneeId"> &
  Partial<Pick<ListInbox, "assigneeId" | "priority">>;

export type Within = { partition: string; tenantId: string; environment: string };

export type Bind = ReturnType<typeof bindings>["bind"];

/** Each filter's condition. */
const conditions: {
  [Filter in keyof Filters]-?: (
    value: Exclude<Filters[Filter], undefined>,
    bind: Bind,
    within: Within,
  ) => string;
} = {
  // A single status is compared by equality: only then the index returns the rows in order.
  status: ([first = "OPEN", ...others], bind) =>
    others.length === 0
      ? `status = ${bind("ConversationStatus", first)}`
      : `status = ANY (${bind("ConversationStatus[]", [first, ...others])})`,
  channelId: (value, bind) => `channel_id = ${bind("text", value)}`,
  customerId: (value, bind) => `customer_id = ${bind("text", value)}`,
  agentId: (value, bind) => `agent_id = ${bind("text", value)}`,
  assigneeId: (value, bind) =>
    value === null ? "assignee_id IS NULL" : `assignee_id = ${bind("text", value)}`,
  // The few that are not NORMAL have an index of their own.
  priority: (value, bind) => `priority = ${bind("Priority", value)}`,
  externalId: (value, bind) => `external_id = ${bind("text", value)}`,
  tag: (value, bind, { tenantId, environment }) => `EXISTS (SELECT 1 FROM conversation_tags t
    WHERE t.tenant_id = ${tenantId} AND t.environment = ${environment} AND t.tag = ${bind("text", value)} AND t.conversation_id = conversations.id)`,
  metadata: (value, bind, { tenantId, environment }) =>
    Object.entries(value)
      .map(
        ([key, wanted]) => `EXISTS (SELECT 1 FROM conversation_metadata m
    WHERE m.tenant_id = ${tenantId} AND m.environment = ${environment} AND m.key = ${bind("text", key)} AND m.value = ${bind("text", wanted)}
      AND m.conversation_id = conversations.id)`,
      )
      .join(" AND "),
  updatedSince: (value, bind) => `updated_at >= ${bind("timestamptz", value)}`,
};

const filterNames = Object.keys(conditions) as (keyof Filters)[];

export function bindPartition(bind: Bind, { tenantId, environment }: Partition): Within {
  const references = {
    tenantId: bind("text", tenantId),
    environment: bind("Environment", environment),
  };
  return {
    ...references,
    partition: `tenant_id = ${references.tenantId} AND environment = ${references.environment}`,
  };
}

/** The condition of all filters that are given. */
export function bindFilters(bind: Bind, within: Within, filters: Filters): string {
  const written = filterNames.map((name) => {
    const value = filters[name];
    const write = conditions[name] as (value: unknown, bind: Bind, within: Within) => string;
    return value === undefined ? "" : ` AND ${write(value, bind, within)}`;
  });
  return within.partition + written.join("");
}

/** What the page of a list is made from, as references. */
type Page = { partition: string; order: "asc" | "desc"; limit: number; beyond: string };

/**
 * A single filter costs no more than its page, whatever its value. Four of them need more than an
 * index in the order of the list for that. Combined filters, and those with few values, are planned
 * for their values, so their statement has no name. Neither has that of `updatedSince`: a plan for
 * any tenant and time would read and sort everything that changed since.
 */
export function listConversationsStatement(partition: Partition, query: ListConversations): Query {
  const { limit, order, cursor, ...filters } = query;
  const { bind, values } = bindings();
  const within = bindPartition(bind, partition);
  const page: Page = {
    partition: within.partition,
    order,
    limit: rowsFor(limit),
    beyond:
      cursor === undefined ? "" : `AND id ${order === "asc" ? ">" : "<"} ${bind("text", cursor)}`,
  };
  const given = filterNames.filter((name) => (filters as Filters)[name] !== undefined);
  const { updatedSince, ...others } = filters;
  if (updatedSince) {
    const where = bindFilters(bind, within, others);
    const firstId = firstIdAt("conversation", new Date(updatedSince.getTime() - longLivedMs));
    const since = bind("timestamptz", updatedSince);
    return { text: byChange(page, where, since, bind("text", firstId)), values };
  }
  const { status, tag, metadata = {} } = filters;
  if (given.length === 1) {
    const name = `list_conversations_${order}`;
    if (status)
      return { name, text: byStatuses(page, bind("ConversationStatus[]", status)), values };
    if (tag) return { name, text: byTag(page, bind("text", tag)), values };
    const [wanted, ...others] = Object.entries(metadata);
    if (wanted && others.length === 0)
      return {
        name,
        text: byMetadata(page, bind("text", wanted[0]), bind("text", wanted[1])),
        values,
      };
    if (wanted) return { text: plainList(page, bindFilters(bind, within, filters)), values };
  }
  const text = plainList(page, bindFilters(bind, within, filters));
  // Many tenants have a single channel, agent or assignee. If the statistics know only one value, a
  // plan for any value reads the whole list in its order, also for a value that is rare or missing.
  const isPlannedForValues =
    given.length > 1 || filters.channelId || filters.agentId || filters.assigneeId;
  return isPlannedForValues
    ? { text, values }
    : { name: `list_conversations_${order}`, text, values };
}

const plainList = ({ order, limit, beyond }: Page, where: string) => `
  SELECT ${conversationFields} FROM conversations WHERE ${where} ${beyond} ORDER BY id ${order} LIMIT ${limit}`;

/** An index of an array has no order, so tags have a table of their own. */
const byTag = ({ partition, order, limit, beyond }: Page, tag: string) => `
  SELECT ${conversationFields} FROM conversations
  WHERE ${partition} AND id = ANY (ARRAY(
    SELECT id FROM (SELECT tenant_id, environment, tag, conversation_id AS id FROM conversation_tags) AS tagged
    WHERE ${partition} AND tag = ${tag} ${beyond} ORDER BY id ${order} LIMIT ${limit}
  ))
  ORDER BY id ${order}`;

/** Likewise for the keys and values of metadata. */
const byMetadata = ({ partition, order, limit, beyond }: Page, key: string, value: string) => `
  SELECT ${conversationFields} FROM conversations
  WHERE ${partition} AND id = ANY (ARRAY(
    SELECT id FROM (SELECT tenant_id, environment, key, value, conversation_id AS id FROM conversation_metadata) AS described
    WHERE ${partition} AND key = ${key} AND value = ${value} ${beyond} ORDER BY id ${order} LIMIT ${limit}
  ))
  ORDER BY id ${order}`;

/**
 * A page of each status, because the index has the order of the list only within one status. The
 * two bounds mean equality: they leave the planner no other index with this order.
 */
const byStatuses = ({ partition, order, limit, beyond }: Page, statuses: string) => `
  SELECT page.* FROM unnest(${statuses}) AS wanted (status)
  CROSS JOIN LATERAL (
    SELECT ${conversationFields} FROM conversations
    WHERE ${partition} AND conversations.status >= wanted.status AND conversations.status <= wanted.status ${beyond}
    ORDER BY conversations.status ${order}, conversations.id ${order} LIMIT ${limit}
  ) AS page
  ORDER BY page.id ${order} LIMIT ${limit}`;

/** Conversations that changed that long after their creation are few, and have an index of their own. */
const longLivedHours = 12;
const longLivedMs = longLivedHours * 3_600_000;

/**
 * Conversations from `firstId` on, which is the first id of so many hours before, are read in their
 * order, because most of them have changed since. Older ones are found among the long-lived ones.
 * @param where the condition of all other filters
 */
const byChange = (
  { partition, order, limit, beyond }: Page,
  where: string,
  since: string,
  firstId: string,
): string => {
  // The sum keeps the planner from the index by time, where it would read and sort every
  // conversation that changed since.
  const recent = `SELECT id FROM conversations WHERE ${where} AND id >= ${firstId} AND updated_at + interval '0' >= ${since} ${beyond} ORDER BY id ${order} LIMIT ${limit}`;
  const older = `SELECT id FROM (
      SELECT id FROM conversations
      WHERE ${where} AND updated_at >= ${since} AND updated_at - created_at > interval '${longLivedHours} hours' AND id < ${firstId} ${beyond}
      ORDER BY updated_at, id OFFSET 0
    ) AS changed ORDER BY id ${order} LIMIT ${limit}`;
  const [first, second] = order === "asc" ? [older, recent] : [recent, older];
  return `
  WITH first AS MATERIALIZED (${first}),
  second AS MATERIALIZED (SELECT id FROM (${second}) AS rest WHERE (SELECT count(*) FROM first) < ${limit})
  SELECT ${conversationFields} FROM conversations
  WHERE ${partition} AND id = ANY (ARRAY(SELECT id FROM first UNION ALL SELECT id FROM second))
  ORDER BY id ${order} LIMIT ${limit}`;
};

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

/** Creates a conversation, with its first message, idempotency record, events and deliveries. */
export const createConversationStatement = sql(
  "create_conversation",
  {
    ...changeParameters,
    ...recordParameters,
    ...eventParameters,
    conversationId: "text",
    channelId: "text",
    subject: "text?",
    priority: "Priority",
    tags: "text[]",
    metadata: "jsonb",
    externalId: "text?",
    // The first message, if there is one.
    messageId: "text?",
    direction: "Direction?",
    authorType: "AuthorType?",
    authorId: "text?",
    authorName: "text?",
    text: "text?",
    messageExternalId: "text?",
    messageMetadata: "jsonb?",
    preview: "text?",
  },
  (p) => `
  WITH ${writeRecord(p, { from: "(SELECT 1) AS always" })},
  go AS (SELECT 1 WHERE ${isFirst(p)}),
  conversation AS (
    INSERT INTO conversations (tenant_id, environment, id, channel_id, subject, priority, tags, metadata, external_id,
      message_count, last_message_at, last_message_preview, created_at, updated_at)
    SELECT ${p.tenantId}, ${p.environment}, ${p.conversationId}, ${p.channelId}, ${p.subject}, ${p.priority}, ${p.tags},
      ${p.metadata}, ${p.externalId}, CASE WHEN ${p.messageId} IS NULL THEN 0 ELSE 1 END,
      CASE WHEN ${p.messageId} IS NOT NULL THEN ${p.at} END, ${p.preview}, ${p.at}, ${p.at} FROM go
  ),
  message AS (
    INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, author_id, author_name,
      text, external_id, metadata, created_at)
    SELECT ${p.tenantId}, ${p.environment}, ${p.messageId}, ${p.conversationId}, 1, ${p.direction}, ${p.authorType}, ${p.authorId},
      ${p.authorName}, ${p.text}, ${p.messageExternalId}, ${p.messageMetadata}, ${p.at} FROM go WHERE ${p.messageId} IS NOT NULL
  ),
  ${writeEvents(p, {
    conversations: `jsonb_build_object('channelId', ${p.channelId}, 'tags', ${p.tags}, 'priority', ${p.priority}, 'assigneeId', NULL, 'agentId', NULL)`,
  })}
  SELECT ARRAY(SELECT id FROM delivery) AS deliveries FROM go`,
);
