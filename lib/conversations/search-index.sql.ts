import { fewRowsOf, sql } from "@/lib/platform/sql";

/**
 * The number of entries in a segment. It is large, so that rare words need few segments, and small
 * enough that reading all entries of one takes milliseconds.
 */
export const segmentEntries = 4_096;

/**
 * Messages of finished transactions after the last one that was indexed. A transaction can have any
 * number of them, so their position includes the id.
 */
const isNew = (xact: string, messageId: string) =>
  `(m.xact, m.id) > (${xact}, ${messageId}) AND m.xact < pg_snapshot_xmin(pg_current_snapshot())`;

/** `ORDER BY` makes the planner use the index, whatever it expects of the condition. */
export const searchWorkStatement = sql(
  "search_work",
  {},
  () => `
  SELECT (SELECT m.id FROM messages m WHERE ${isNew("p.xact", "p.message_id")} ORDER BY m.xact, m.id LIMIT 1) IS NOT NULL AS "hasMessages",
    (SELECT c.id FROM search_changes c ORDER BY c.id LIMIT 1) IS NOT NULL AS "hasChanges"
  FROM search_progress p`,
);

/** Returns no row while another process indexes. */
export const lockProgressStatement = sql(
  "lock_search_progress",
  {},
  () =>
    `SELECT xact::text AS xact, message_id AS "messageId" FROM search_progress FOR UPDATE SKIP LOCKED`,
);

export const saveProgressStatement = sql(
  "save_search_progress",
  { xact: "xid8", messageId: "text" },
  (p) => `UPDATE search_progress SET xact = ${p.xact}, message_id = ${p.messageId}`,
);

const headerColumns = `c.subject, u.name, u.email, u.phone, u.external_id AS "externalId"`;
const customer =
  "LEFT JOIN customers u ON u.tenant_id = c.tenant_id AND u.environment = c.environment AND u.id = c.customer_id";

/**
 * The next messages, with what is indexed of their conversations. They are locked, so that one that
 * is being deleted or redacted is indexed before that or not at all. Messages of a deleted
 * conversation are included until they are deleted, so that progress is made.
 */
export const nextMessagesStatement = sql(
  "next_messages_to_index",
  { xact: "xid8", messageId: "text", limit: "int" },
  (p) => `
  WITH batch AS MATERIALIZED (
    SELECT m.tenant_id, m.environment, m.conversation_id, m.id, m.text, m.xact FROM messages m
    WHERE ${isNew(p.xact, p.messageId)} ORDER BY m.xact, m.id LIMIT ${p.limit} FOR SHARE
  )
  SELECT b.tenant_id AS "tenantId", b.environment, b.conversation_id AS "conversationId", b.id AS "messageId", b.text,
    b.xact::text AS xact, ${headerColumns}
  FROM ${fewRowsOf("batch")} AS b
  LEFT JOIN conversations c ON c.tenant_id = b.tenant_id AND c.environment = b.environment AND c.id = b.conversation_id
  ${customer} ORDER BY b.xact, b.id`,
);

/** Opens a first segment for new tenants, and the next one where the newest is full. */
export const openSegmentsStatement = sql(
  "open_search_segments",
  { tenantIds: "text[]", environments: "Environment[]" },
  (p) => `
  INSERT INTO search_segments (tenant_id, environment, after_id, entry_count)
  SELECT p.tenant_id, p.environment, coalesce((
      SELECT e.conversation_id FROM search_entries e WHERE e.tenant_id = p.tenant_id AND e.environment = p.environment
      ORDER BY e.conversation_id DESC LIMIT 1
    ), ''), 0
  FROM (SELECT DISTINCT * FROM unnest(${p.tenantIds}, ${p.environments}) AS u (tenant_id, environment)) AS p
  WHERE coalesce((
      SELECT s.entry_count FROM search_segments s WHERE s.tenant_id = p.tenant_id AND s.environment = p.environment
      ORDER BY s.after_id DESC LIMIT 1
    ), ${segmentEntries}) >= ${segmentEntries}
  ON CONFLICT DO NOTHING`,
);

const entryParameters = {
  tenantIds: "text[]",
  environments: "Environment[]",
  conversationIds: "text[]",
  messageIds: "text[]",
  headers: "text[]",
  texts: "text[]",
} as const;

export const writeEntriesStatement = sql(
  "write_search_entries",
  entryParameters,
  (p) => `
  WITH written AS (
    INSERT INTO search_entries (tenant_id, environment, conversation_id, message_id, segment_id, header, text)
    SELECT n.tenant_id, n.environment, n.conversation_id, n.message_id, segment.id, n.header, n.text
    FROM unnest(${p.tenantIds}, ${p.environments}, ${p.conversationIds}, ${p.messageIds}, ${p.headers}, ${p.texts})
      AS n (tenant_id, environment, conversation_id, message_id, header, text)
    CROSS JOIN LATERAL (
      SELECT s.id FROM search_segments s
      WHERE s.tenant_id = n.tenant_id AND s.environment = n.environment AND s.after_id < n.conversation_id
      ORDER BY s.after_id DESC LIMIT 1
    ) AS segment
    ON CONFLICT (tenant_id, environment, conversation_id, message_id) DO UPDATE SET header = excluded.header, text = excluded.text
      WHERE (search_entries.header, search_entries.text) <> (excluded.header, excluded.text)
    RETURNING segment_id
  )
  UPDATE search_segments s SET entry_count = s.entry_count + counted.entries
  FROM (SELECT segment_id, count(*)::int AS entries FROM written GROUP BY 1) AS counted WHERE s.id = counted.segment_id`,
);

/**
 * Moves the words of new entries from the index's list, which every search reads, to their places.
 */
export const writeWordsStatement = sql(
  "write_search_words",
  {},
  () => "SELECT write_search_words()::int AS pages",
);

const changeColumns = `c.id::text, c.tenant_id AS "tenantId", c.environment, c.target_id AS "targetId", c.after_id AS "afterId"`;

/** The changes after this one, then those up to it. */
export const nextChangesStatement = sql(
  "next_search_changes",
  { afterId: "text", except: "text[]", limit: "int" },
  (p) => {
    const next = (operator: string) =>
      `(SELECT * FROM search_changes c WHERE c.id ${operator} ${p.afterId}::bigint AND c.id <> ALL (${p.except}::bigint[]) ORDER BY c.id LIMIT ${p.limit})`;
    return `
  SELECT ${changeColumns} FROM (${next(">")} UNION ALL ${next("<=")}) AS c
  ORDER BY c.id <= ${p.afterId}::bigint, c.id LIMIT ${p.limit}`;
  },
);

/**
 * Of several changes of one target that have not started, deletes all but the first, which includes
 * what the others noted.
 */
export const mergeChangesStatement = sql(
  "merge_search_changes",
  { ids: "text[]" },
  (p) => `
  DELETE FROM search_changes c USING (
    SELECT id, row_number() OVER (PARTITION BY tenant_id, environment, target_id ORDER BY id) AS number
    FROM search_changes WHERE id = ANY (${p.ids}::bigint[]) AND after_id = ''
  ) AS b
  WHERE c.id = b.id AND b.number > 1 RETURNING 1 AS merged`,
);

/** In this order, but only the first of each target. The next one starts when that is finished. */
export const changesStatement = sql(
  "search_changes",
  { ids: "text[]" },
  (p) => `
  SELECT ${changeColumns} FROM (
    SELECT DISTINCT ON (tenant_id, environment, target_id) * FROM search_changes WHERE id = ANY (${p.ids}::bigint[])
    ORDER BY tenant_id, environment, target_id, id
  ) AS c
  ORDER BY array_position(${p.ids}::bigint[], c.id)`,
);

/** The newest change that waits for the search, or 0. */
export const newestChangeStatement = sql(
  "newest_search_change",
  {},
  () => "SELECT coalesce(max(id), 0)::text AS id FROM search_changes",
);

const changesReadAtMost = 10_000;

/**
 * Whether changes of the tenant up to this one wait for the search, for other statements. The table
 * has no index by tenant, which every new conversation would pay for, so this reads the first
 * changes of all tenants. While there are more, the tenant waits for them, too.
 */
export const waitsForSearch = (tenantId: string, id: string): string => `(
      SELECT count(*) = ${changesReadAtMost} OR count(*) FILTER (WHERE s.tenant_id = ${tenantId}) > 0
      FROM (SELECT c.tenant_id FROM search_changes c WHERE c.id <= ${id}::bigint ORDER BY c.id LIMIT ${changesReadAtMost}) AS s
    )`;

export const conversationsOfCustomerStatement = sql(
  "conversations_of_customer_to_index",
  {
    tenantId: "text",
    environment: "Environment",
    customerId: "text",
    afterId: "text",
    limit: "int",
  },
  (p) => `
  SELECT id FROM conversations
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND customer_id = ${p.customerId} AND id > ${p.afterId}
  ORDER BY id LIMIT ${p.limit}`,
);

const conversationParameters = {
  tenantIds: "text[]",
  environments: "Environment[]",
  conversationIds: "text[]",
} as const;

/** Locked against deletion, but not against new messages. */
export const headersStatement = sql(
  "search_headers",
  conversationParameters,
  (p) => `
  SELECT c.tenant_id AS "tenantId", c.environment, c.id AS "conversationId", ${headerColumns}
  FROM unnest(${p.tenantIds}, ${p.environments}, ${p.conversationIds}) AS n (tenant_id, environment, id)
  JOIN conversations c ON c.tenant_id = n.tenant_id AND c.environment = n.environment AND c.id = n.id
  ${customer} FOR KEY SHARE OF c`,
);

/**
 * From now on, the transaction reads entries in the order of the index. Otherwise, PostgreSQL may
 * read all of a conversation to sort them, because it does not know which conversations are long.
 */
export const readInOrderStatement = sql(
  "read_search_entries_in_order",
  {},
  () => "SELECT set_config('enable_bitmapscan', 'off', true)",
);

/**
 * Updates the header in the next entries of messages: of the first conversation, then of the second,
 * and so on. Reads entries that have it already, too, so that no batch reads them again.
 * @returns the last of `limit` entries, and no row if there are fewer
 */
export const updateHeadersStatement = sql(
  "update_search_headers",
  { ...conversationParameters, afterMessageIds: "text[]", headers: "text?[]", limit: "int" },
  (p) => `
  WITH read AS MATERIALIZED (
    SELECT n.tenant_id, n.environment, n.conversation_id, e.message_id, n.header, e.header <> n.header AS is_stale, n.part
    FROM (
      SELECT * FROM unnest(${p.tenantIds}, ${p.environments}, ${p.conversationIds}, ${p.afterMessageIds}, ${p.headers})
        WITH ORDINALITY AS n (tenant_id, environment, conversation_id, after_id, header, part) ORDER BY n.part
    ) AS n
    CROSS JOIN LATERAL (
      SELECT e.message_id, e.header FROM search_entries e
      WHERE e.tenant_id = n.tenant_id AND e.environment = n.environment AND e.conversation_id = n.conversation_id AND e.message_id > n.after_id
      ORDER BY e.message_id LIMIT ${p.limit}
    ) AS e
    ORDER BY n.part, e.message_id LIMIT ${p.limit}
  ),
  updated AS (
    UPDATE search_entries e SET header = r.header FROM ${fewRowsOf("read")} AS r
    WHERE r.is_stale AND e.tenant_id = r.tenant_id AND e.environment = r.environment AND e.conversation_id = r.conversation_id
      AND e.message_id = r.message_id
  )
  SELECT part::int - 1 AS part, message_id AS "messageId" FROM read ORDER BY read.part, read.message_id OFFSET ${p.limit} - 1`,
);

/** Entries of conversations and messages without any word. */
export const deleteEmptyEntriesStatement = sql(
  "delete_empty_search_entries",
  conversationParameters,
  (p) => `
  DELETE FROM search_entries e
  USING unnest(${p.tenantIds}, ${p.environments}, ${p.conversationIds}) AS n (tenant_id, environment, conversation_id)
  WHERE e.tenant_id = n.tenant_id AND e.environment = n.environment AND e.conversation_id = n.conversation_id
    AND e.message_id = '' AND e.header = ''`,
);

/**
 * Continues a change after that conversation of a customer. Within the next one, it continues after a
 * message: then `afterId` has the ids of both conversations and of the message. Its start is the last
 * finished conversation, as which the version before reads it.
 */
export const continueChangeStatement = sql(
  "continue_search_change",
  { id: "text", afterId: "text" },
  (p) => `UPDATE search_changes SET after_id = ${p.afterId} WHERE id = ${p.id}::bigint`,
);

export const deleteChangesStatement = sql(
  "delete_search_changes",
  { ids: "text[]" },
  (p) => `DELETE FROM search_changes WHERE id = ANY (${p.ids}::bigint[])`,
);
