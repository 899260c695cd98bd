import { waitsForSearch } from "@/lib/conversations/search-index.sql";
import { isNotMoving } from "@/lib/platform/moving-tenants";
import { fewRowsOf, sql, timeOf } from "@/lib/platform/sql";

/**
 * The oldest erasure that is due in the next environment after the given one, unless another worker
 * holds it, and the time. So environments take turns, also if one's batches fail, and an erasure that
 * waits holds up no others.
 */
export const nextErasureStatement = sql(
  "next_erasure",
  { now: "clock", afterTenantId: "text", afterEnvironment: "Environment" },
  (p) => `
  SELECT e.tenant_id AS "tenantId", e.environment, e.id, ${timeOf(p.now)} AS at FROM (
    SELECT DISTINCT ON (tenant_id, environment) tenant_id, environment, id, next_at FROM erasures
    WHERE completed_at IS NULL AND next_at <= ${timeOf(p.now)} AND ${isNotMoving("tenant_id")}
    ORDER BY tenant_id, environment, id
  ) o
  JOIN erasures e ON e.tenant_id = o.tenant_id AND e.environment = o.environment AND e.id = o.id
  WHERE e.completed_at IS NULL AND e.next_at <= ${timeOf(p.now)}
  ORDER BY (o.tenant_id, o.environment) <= (${p.afterTenantId}, ${p.afterEnvironment}), o.tenant_id, o.environment
  LIMIT 1 FOR UPDATE OF e SKIP LOCKED`,
);

const partition = { tenantId: "text", environment: "Environment" } as const;

type Within = { tenantId: string; environment: string };

const within = (alias: string, p: Within) =>
  `${alias}.tenant_id = ${p.tenantId} AND ${alias}.environment = ${p.environment}`;

/** The customer's next conversation, locked: a message that is being posted comes before or after. */
export const nextConversationStatement = sql(
  "next_conversation_to_erase",
  { ...partition, customerId: "text", afterId: "text" },
  (p) => `
  SELECT c.id FROM conversations c WHERE ${within("c", p)} AND c.customer_id = ${p.customerId} AND c.id > ${p.afterId}
  ORDER BY c.id LIMIT 1 FOR NO KEY UPDATE`,
);

/**
 * Members and agents remain as authors. Any other author's id and name can be the customer's.
 * Returns a row for each message.
 */
export const eraseMessagesStatement = sql(
  "erase_messages",
  {
    ...partition,
    conversationId: "text",
    afterSequence: "int",
    limit: "int",
    at: "timestamptz",
  },
  (p) => `
  WITH chosen AS MATERIALIZED (
    SELECT m.id FROM messages m
    WHERE ${within("m", p)} AND m.conversation_id = ${p.conversationId} AND m.sequence > ${p.afterSequence}
    ORDER BY m.sequence LIMIT ${p.limit} FOR NO KEY UPDATE
  )
  UPDATE messages m SET text = '', attachments = NULL, metadata = '{}', external_id = NULL, redacted_at = coalesce(m.redacted_at, ${p.at}),
    author_id = CASE WHEN m.author_type IN ('USER', 'AGENT') THEN m.author_id END,
    author_name = CASE WHEN m.author_type IN ('USER', 'AGENT') THEN m.author_name END
  FROM ${fewRowsOf("chosen")} AS c WHERE ${within("m", p)} AND m.id = c.id
  RETURNING m.id, m.sequence`,
);

/** Returns its new time, which is not before any of its events, whatever clock made them. */
export const eraseConversationStatement = sql(
  "erase_conversation",
  { ...partition, id: "text", at: "timestamptz" },
  (p) => `
  UPDATE conversations c SET subject = NULL, metadata = '{}', tags = '{}', external_id = NULL, last_message_preview = NULL,
    updated_at = greatest(${p.at}, c.updated_at)
  WHERE ${within("c", p)} AND c.id = ${p.id}
  RETURNING c.updated_at AS "updatedAt"`,
);

/** The text between a mark and the next quotation mark. A regular expression takes 40 times as long. */
const textAfter = (column: string, mark: string) =>
  `split_part(split_part(${column}, '${mark}', 2), '"', 1)`;

type OfCustomer = Within & { customerId: string };

const hasConversation = (p: OfCustomer, id: string) =>
  `EXISTS (SELECT 1 FROM conversations c WHERE ${within("c", p)} AND c.id = ${id} AND c.customer_id = ${p.customerId})`;

/** Whether something was deleted that belonged to the customer. */
const wasOfCustomer = (p: OfCustomer, id: string) =>
  `EXISTS (SELECT 1 FROM deletions x WHERE ${within("x", p)} AND x.id = ${id} AND x.customer_id = ${p.customerId})`;

/** Whether a conversation belongs, or belonged until it was deleted, to the customer. */
const isOfCustomer = (p: OfCustomer, id: string) => `(
      ${hasConversation(p, id)}
      OR ${wasOfCustomer(p, id)})`;

/**
 * The next events, in the order of ids. `isAbout` says which of them are about the customer, or about a
 * conversation of theirs that was deleted, or from before it was cleared. A message's event is redacted
 * with its message, so that of a message that was posted later stays. Of those with content, it returns
 * the payload. Envelopes are written by us, so the first ids in them are those of the object.
 */
export const eventsToEraseStatement = sql(
  "events_to_erase",
  { ...partition, customerId: "text", afterId: "text", limit: "int", clearedAt: "timestamptz" },
  (p) => `
  SELECT e.id, e.is_about AS "isAbout",
    CASE WHEN e.is_about AND e.type NOT IN ('customer.deleted', 'customer.erased', 'conversation.deleted', 'message.redacted') THEN e.payload END AS payload
  FROM (
    SELECT o.*, CASE split_part(o.type, '.', 1)
      WHEN 'customer' THEN o.object_id = ${p.customerId}
      WHEN 'conversation' THEN ${wasOfCustomer(p, "o.object_id")} OR o.created_at <= ${p.clearedAt}
        AND (strpos(o.payload, '"customerId":"' || ${p.customerId} || '"') > 0 OR ${hasConversation(p, "o.object_id")})
      WHEN 'message' THEN ${isOfCustomer(p, textAfter("o.payload", '"conversationId":"'))}
        AND NOT EXISTS (SELECT 1 FROM messages m WHERE ${within("m", p)} AND m.id = o.object_id AND m.redacted_at IS NULL
          AND EXISTS (SELECT 1 FROM conversations c WHERE ${within("c", p)} AND c.id = m.conversation_id))
      ELSE false END AS is_about
    FROM (
      SELECT e.id, e.type, e.payload, e.created_at, ${textAfter("e.payload", '"object":{"id":"')} AS object_id
      FROM events e WHERE ${within("e", p)} AND e.id > ${p.afterId} ORDER BY e.id LIMIT ${p.limit}
    ) AS o
  ) AS e
  ORDER BY e.id`,
);

/** As identifiers.ts writes the patterns, whatever the locale of the database is. */
const lowerAscii = (column: string) => `lower(${column} COLLATE "C")`;

/** Saved views of the inbox whose search, filters or name contain one of the customer's values. */
export const deleteViewsStatement = sql(
  "erase_saved_views",
  { ...partition, patterns: "text[]" },
  (p) => `
  DELETE FROM saved_views v
  WHERE ${within("v", p)} AND (${lowerAscii("v.query")} LIKE ANY (${p.patterns}) OR ${lowerAscii("v.name")} LIKE ANY (${p.patterns}))`,
);

const mention = { ...partition, customerId: "text", afterId: "text", patterns: "text[]" } as const;

/** Whether a text names the customer, a conversation of theirs, or contains one of their values. */
const isMentionedIn = (p: OfCustomer & { patterns: string }, texts: string[]): string =>
  texts
    .map(
      (
        text,
      ) => `coalesce(strpos(${text}, ${p.customerId}) > 0 OR ${lowerAscii(text)} LIKE ANY (${p.patterns})
        OR ${isOfCustomer(p, `substring(${text} FROM 'cnv_[0-9A-Z]{26}')`)}, false)`,
    )
    .join(" OR ");

/** Whether a message of the customer's has the file, or had it until the file was deleted. */
const isFileOfCustomer = (p: OfCustomer, id: string) =>
  `(starts_with(${id}, 'fil_') AND (${isOfCustomer(p, id)}
        OR EXISTS (SELECT 1 FROM files f JOIN messages m ON ${within("m", p)} AND m.id = f.message_id
          WHERE ${within("f", p)} AND f.id = ${id} AND ${isOfCustomer(p, "m.conversation_id")})))`;

/** The id of what a request created. */
const createdId = (response: string) => `substr(${response}, 8, 30)`;

/**
 * Goes through stored responses in the order of keys. Those with a secret are about webhooks. The note
 * of an upload starts with the file's id, and contains the upload's key. The key of a response
 * remains, so that a repeated request is not performed again, unless it contains one of the
 * customer's values as a word. Regular expressions are slow, so only keys that match a pattern are
 * compared with them.
 */
export const eraseRecordsStatement = sql(
  "erase_idempotency_records",
  { ...mention, words: "text[]", limit: "int" },
  (p) => `
  WITH batch AS MATERIALIZED (
    SELECT i.key, CASE WHEN ${lowerAscii("i.key")} LIKE ANY (${p.patterns}) THEN ${lowerAscii("i.key")} ~ ANY (${p.words}) ELSE false END AS has_personal_key,
      NOT i.is_encrypted AND (${isMentionedIn(p, ["i.body"])} OR ${isFileOfCustomer(p, createdId("i.body"))}
        OR (i.body <> '' AND ${isFileOfCustomer(p, "substr(i.key, 1, 30)")})) AS is_personal
    FROM (
      SELECT * FROM idempotency_records i WHERE ${within("i", p)} AND i.key > ${p.afterId} ORDER BY i.key LIMIT ${p.limit}
    ) AS i
  ),
  deleted AS (
    DELETE FROM idempotency_records i USING ${fewRowsOf("batch")} AS b
    WHERE ${within("i", p)} AND i.key = b.key AND b.has_personal_key RETURNING 1
  ),
  cleared AS (
    UPDATE idempotency_records i SET status = 410, body = ''
    FROM ${fewRowsOf("batch")} AS b WHERE ${within("i", p)} AND i.key = b.key AND b.is_personal AND NOT b.has_personal_key RETURNING 1
  )
  SELECT count(*)::int AS read, max(key) AS "lastId",
    (SELECT count(*)::int FROM deleted) + (SELECT count(*)::int FROM cleared) AS changed FROM batch`,
);

/**
 * A path without the customer's values. The query is removed, and so is each segment that is not part
 * of the operation's path, one of our ids, or a word without such a value.
 */
const withoutValues = (path: string, patterns: string) => `(
          SELECT string_agg(CASE
            WHEN part ~ '^[a-z]+_[0-9A-Z]{26}$' OR (place <= 4 AND part ~ '^[a-z0-9-]*$')
              OR (part ~ '^[a-z-]*$' AND '/' || part NOT LIKE ALL (${patterns})) THEN part
            ELSE '[erased]' END, '/' ORDER BY place)
          FROM unnest(string_to_array(regexp_replace(split_part(${path}, '?', 1), '/by-external-id/.*$', '/by-external-id/[erased]'), '/'))
            WITH ORDINALITY AS parts (part, place)
        ) || CASE WHEN strpos(${path}, '?') > 0 THEN '?[erased]' ELSE '' END`;

/**
 * Goes through requests in the order of ids. Their paths keep only what identifies the operation if
 * they contain one of the customer's values.
 */
export const eraseLogsStatement = sql(
  "erase_request_logs",
  { ...mention, beforeId: "text", limit: "int" },
  (p) => `
  WITH batch AS MATERIALIZED (
    SELECT l.id, ${lowerAscii("l.path")} LIKE ANY (${p.patterns}) AS has_personal_path,
      ${isMentionedIn(p, ["l.path", "l.request_body", "l.response_body", "l.idempotency_key"])}
        OR ${isFileOfCustomer(p, createdId("l.response_body"))} AS is_personal
    FROM (
      SELECT * FROM request_logs l WHERE ${within("l", p)} AND l.id > ${p.afterId} AND l.id < ${p.beforeId} ORDER BY l.id LIMIT ${p.limit}
    ) AS l
  ),
  cleared AS (
    UPDATE request_logs l SET request_body = NULL, response_body = NULL,
      path = CASE WHEN b.has_personal_path THEN ${withoutValues("l.path", p.patterns)} ELSE l.path END,
      idempotency_key = NULL
    FROM ${fewRowsOf("batch")} AS b WHERE ${within("l", p)} AND l.id = b.id AND b.is_personal
    RETURNING 1
  )
  SELECT count(*)::int AS read, max(id) AS "lastId", (SELECT count(*)::int FROM cleared) AS changed FROM batch`,
);

/**
 * What other jobs still have to do with the customer's data: index the organization's changes up to the newest one
 * when the customer's conversations were cleared, delete, and remove files. A file that is being removed, or could
 * not be removed yet, is due again within minutes. One that is being uploaded is due much later.
 */
export const isErasureUnfinishedStatement = sql(
  "erasure_is_unfinished",
  { ...partition, customerId: "text", searchChangeId: "text" },
  (p) => `
  SELECT ${waitsForSearch(p.tenantId, p.searchChangeId)} OR EXISTS (
      SELECT 1 FROM deletions x WHERE ${within("x", p)} AND x.customer_id = ${p.customerId} AND x.finished_at IS NULL
    ) OR EXISTS (SELECT 1 FROM stray_blobs b WHERE ${within("b", p)} AND b.remove_after <= now() + interval '10 minutes') AS "isUnfinished"`,
);
