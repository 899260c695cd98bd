import type { Partition } from "@/lib/platform/caller";
import { comparedTexts, hasValue } from "@/lib/platform/metadata.sql";
import { bindings, isInOrder, type Query } from "@/lib/platform/sql";
import { firstIdAt } from "@/lib/resources/ids";
import { rowsFor } from "@/lib/resources/pages";
import type { ListConversations, ListInbox } from "./schema";
import { conversationFields } from "./service.sql";

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
    WHERE m.tenant_id = ${tenantId} AND m.environment = ${environment} AND m.key = ${bind("text", key)} AND ${hasValue("m.value", wanted, bind)}
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
    if (wanted && others.length === 0 && comparedTexts(wanted[1]).length === 1)
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

/** A page of each status, because the index has the order of the list only within one status. */
const byStatuses = ({ partition, order, limit, beyond }: Page, statuses: string) => `
  SELECT page.* FROM unnest(${statuses}) AS wanted (status)
  CROSS JOIN LATERAL (
    SELECT ${conversationFields} FROM conversations
    WHERE ${partition} AND ${isInOrder("conversations.status", "wanted.status")} ${beyond}
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
