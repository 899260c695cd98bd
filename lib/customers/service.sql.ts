import {
  changeParameters,
  eventParameters,
  recordParameters,
  writeEvents,
  writeFirst,
} from "@/lib/events/outbox.sql";
import { version } from "@/lib/events/versioned-update.sql";
import type { Partition } from "@/lib/platform/caller";
import { changeSql } from "@/lib/platform/change-sql";
import { lookupSql } from "@/lib/platform/lookup-sql";
import { comparedTexts, hasValue } from "@/lib/platform/metadata.sql";
import { bindings, type Query, sql } from "@/lib/platform/sql";
import { rowsFor } from "@/lib/resources/pages";
import type { CustomerModel } from "@/prisma/generated/models";
import { hasFreeExternalId, insertCustomers, newCustomerParameters } from "./new-customer";
import type { ListCustomers } from "./schema";
import { parseSearch, patternBetweenPieces } from "./search-words";

export type CustomerRow = CustomerModel;

/** A customer as the API returns it, in the same order, so that it is printed as it was read. */
export const customerFields = `id, environment, external_id AS "externalId", name, email, phone, locale, metadata,
  conversation_count AS "conversationCount", created_at AS "createdAt", updated_at AS "updatedAt", erased_at AS "erasedAt"`;

const columns = `tenant_id AS "tenantId", ${customerFields}, search_words AS "searchWords"`;

export const getCustomerStatement = lookupSql(
  "get_customer",
  { tenantId: "text", environment: "Environment", id: "text" },
  (p) => `
  SELECT ${customerFields} FROM customers
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.id}`,
);

/** With its version, for changing it. */
export const findByExternalIdStatement = lookupSql(
  "find_customer_by_external_id",
  { tenantId: "text", environment: "Environment", externalId: "text" },
  (p) => `
  SELECT ${customerFields}, ${version} FROM customers
  WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND external_id = ${p.externalId}`,
);

/**
 * Creates a customer, with its idempotency record, event and deliveries, unless the externalId is
 * taken. If another transaction takes it meanwhile, the statement fails.
 */
export const createCustomerStatement = changeSql(
  "create_customer",
  { ...changeParameters, ...recordParameters, ...eventParameters, ...newCustomerParameters },
  ({ input, of, isMany }) => {
    const go = of("go");
    return `
  WITH input AS MATERIALIZED (${input}),
  free AS MATERIALIZED (SELECT * FROM input WHERE ${hasFreeExternalId(of("input"))}),
  ${writeFirst(of, "free", isMany)},
  customer AS (${insertCustomers("go", 0)}
  ),
  ${writeEvents(go, { conversations: "NULL::jsonb", isMany })}
  SELECT n, ARRAY(SELECT id FROM delivery WHERE event_id = ${go.eventId}) AS deliveries, true AS "isMade" FROM go
  ${isMany ? "UNION ALL SELECT n, NULL, false FROM input WHERE n NOT IN (SELECT n FROM go) AND (n IN (SELECT n FROM keyed) OR n NOT IN (SELECT n FROM free))" : ""}`;
  },
);

/**
 * Locks the customer until the transaction ends. Waits for a change that is in progress, and finds
 * no row if that change gives the customer another externalId.
 */
export const lockByExternalIdStatement = sql(
  "lock_customer_by_external_id",
  { tenantId: "text", environment: "Environment", externalId: "text" },
  (p) => `SELECT ${columns} FROM customers
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND external_id = ${p.externalId}
    FOR NO KEY UPDATE`,
);

/**
 * The customer, kept from being deleted or erased until the transaction ends. Waits for an erasure that is
 * in progress, and then finds no row.
 */
export const keepByExternalIdStatement = sql(
  "keep_customer_by_external_id",
  { tenantId: "text", environment: "Environment", externalId: "text" },
  (p) => `SELECT ${columns} FROM customers
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND external_id = ${p.externalId}
    FOR KEY SHARE`,
);

/** Locks the customer until the transaction ends. New conversations with the customer wait, too. */
export const lockForDeletionStatement = sql(
  "lock_customer_for_deletion",
  { tenantId: "text", environment: "Environment", id: "text" },
  (p) => `SELECT ${columns} FROM customers
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.id} FOR UPDATE`,
);

/** What identifies customers. Unknown ids are left out. */
export const identitiesStatement = sql(
  "customer_identities",
  { tenantId: "text", environment: "Environment", ids: "text[]" },
  (
    p,
  ) => `SELECT id, name, email, phone, external_id AS "externalId", erased_at AS "erasedAt" FROM customers
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ANY (${p.ids})`,
);

/** Must equal the expression of customers_search_idx, or PostgreSQL does not use the index. */
const searched = "array_to_tsvector(array_append(search_words, upper(tenant_id)))";

/** All words in their order. */
const words = `array_to_string(search_words, ' ') COLLATE "C"`;

/** Between fields, so that a phrase does not start in the name and end in the email address. */
const fieldEnd = "' FIELD_END '";

/** Words are in lower case, so no phrase contains the end of a field. */
const wordsInFields = `replace(' ' || ${words} || ' ', ' ' || coalesce(email, '') || ' ', ${fieldEnd} || coalesce(email, '') || ${fieldEnd})`;

type Bind = ReturnType<typeof bindings>["bind"];

/** The conditions of a search, of which the index answers the first. None without a search. */
function conditionsOf(bind: Bind, tenantId: string, q: string | undefined): string[] {
  const search = q && parseSearch(tenantId, q);
  if (!search) return [];
  const hasWords = `${searched} @@ ${bind("tsquery", search.tsquery)}`;
  if (search.phrases.length === 0) return [hasWords];
  // A space around each run of letters and digits, of which phrases also consist.
  const pieces = `regexp_replace(${wordsInFields}, ${bind("text", patternBetweenPieces())}, ' ', 'g')`;
  return [
    hasWords,
    // The pattern takes more time, so it is compared only if the words are there in this order.
    ...search.phrases.map(
      (phrase) => `CASE WHEN ${words} LIKE ${bind("text", `%${phrase.replaceAll(" ", "%")}%`)}
        THEN ${pieces} LIKE ${bind("text", `% ${phrase} %`)} ELSE false END`,
    ),
  ];
}

/**
 * A page of customers. With other filters than `externalId`, which is unique, it has no name, because
 * the best plan depends on the values, except for a single key of metadata, whose table is in the
 * order of the list.
 */
export function listCustomersStatement(partition: Partition, query: ListCustomers): Query {
  const { q, email, phone, externalId, metadata = {}, cursor, limit, order } = query;
  const { bind, values } = bindings();
  const tenantId = bind("text", partition.tenantId);
  const within = `tenant_id = ${tenantId} AND environment = ${bind("Environment", partition.environment)}`;
  const rows = rowsFor(limit);
  const page = `ORDER BY id ${order} LIMIT ${rows}`;
  const beyond =
    cursor === undefined ? "" : `AND id ${order === "asc" ? ">" : "<"} ${bind("text", cursor)}`;

  const described = Object.entries(metadata);
  const [[key, value] = ["", ""]] = described;
  const isMetadataAlone = described.length === 1 && !q && !email && !phone && !externalId;
  if (isMetadataAlone && comparedTexts(value).length === 1) {
    const text = `SELECT ${customerFields} FROM customers
      WHERE ${within} AND id = ANY (ARRAY(
        SELECT id FROM (SELECT tenant_id, environment, key, value, customer_id AS id FROM customer_metadata) AS described
        WHERE ${within} AND key = ${bind("text", key)} AND value = ${bind("text", value)} ${beyond} ${page}
      )) ${page}`;
    return { name: `list_customers_${order}`, text, values };
  }

  const search = conditionsOf(bind, partition.tenantId, q);
  const filters = [
    ...search,
    email && `email = ${bind("text", email)}`,
    phone && `phone = ${bind("text", phone)}`,
    externalId && `external_id = ${bind("text", externalId)}`,
    ...described.map(
      ([key, value]) => `EXISTS (SELECT 1 FROM customer_metadata m
        WHERE m.tenant_id = ${tenantId} AND m.environment = customers.environment AND m.key = ${bind("text", key)}
          AND ${hasValue("m.value", value, bind)} AND m.customer_id = customers.id)`,
    ),
  ].filter(Boolean);
  if (search.length > 0) {
    const [matches, key] = [filters.join(" AND "), "id"];
    const text = searchPage({ within: `${within} ${beyond}`, matches, key, order, rows });
    return { text, values };
  }
  const text = `SELECT ${customerFields} FROM customers WHERE ${[within, ...filters].join(" AND ")} ${beyond} ${page}`;
  const isPlannedOnce = filters.length === 0 || (filters.length === 1 && externalId !== undefined);
  return isPlannedOnce ? { name: `list_customers_${order}`, text, values } : { text, values };
}

/** A page of words that many customers have is found among this many, which takes 10 to 25 ms to read. */
const firstSearched = 10_000;

/**
 * A page of a search. Words that many customers have fill it from the first ones in the order of the
 * list. Others are found in the index. PostgreSQL cannot tell which they are: it expects some of a
 * thousand customers to have any start of a word, and would read all of them for a word that none has.
 * Behind OFFSET 0, it cannot see the order and the limit, for which it would do that.
 */
const searchPage = ({ within, matches, key, order, rows }: SearchPage) => {
  // By name, the order is that of an expression, which PostgreSQL recognizes as a column of the subquery.
  const read = `SELECT *, ${key} AS sort_key FROM customers WHERE ${within}`;
  const ordered = `ORDER BY sort_key ${order}, id ${order}`;
  return `
  WITH first AS MATERIALIZED (
    SELECT * FROM (${read} ${ordered} LIMIT ${firstSearched}) AS customers WHERE ${matches} ${ordered} LIMIT ${rows}
  ),
  is_full AS MATERIALIZED (SELECT count(*) = ${rows} AS yes FROM first)
  SELECT ${customerFields} FROM (
    SELECT * FROM first WHERE (SELECT yes FROM is_full)
    UNION ALL
    (${read} AND ${matches} AND NOT (SELECT yes FROM is_full) OFFSET 0)
  ) AS customers
  ${ordered} LIMIT ${rows}`;
};

type SearchPage = {
  within: string;
  matches: string;
  /** What the list is sorted by, before the id. */
  key: string;
  order: "asc" | "desc";
  rows: number;
};

/**
 * The display name without case and accents. Cut, because the length of an index entry is limited.
 * Must equal the expression of customers_name_idx, or PostgreSQL does not use the index.
 */
const sortName = `left(lower(regexp_replace(normalize(coalesce(name, email, phone, external_id, '') COLLATE "C", NFKD), '[\\u0300-\\u036f]', '', 'g')), 100)`;

type SortCustomers = {
  q: string | undefined;
  sort: "name" | "updatedAt";
  limit: number;
  order: "asc" | "desc";
  /** The last customer of the page before, with the time of change that it had then. */
  after: { id: string; updatedAt?: Date } | null;
};

/**
 * A page of customers in the order of an index. By name, the list starts again if the last customer
 * was deleted since.
 */
export function sortCustomersStatement(
  partition: Partition,
  { q, sort, limit, order, after }: SortCustomers,
): Query {
  const { bind, values } = bindings();
  const within = `tenant_id = ${bind("text", partition.tenantId)} AND environment = ${bind("Environment", partition.environment)}`;
  const key = sort === "name" ? sortName : "updated_at";
  const matches = conditionsOf(bind, partition.tenantId, q).join(" AND ");
  const conditions = [within];
  if (after) {
    const id = bind("text", after.id);
    const start = order === "asc" ? "''" : "U&'\\+10FFFF'";
    const last = after.updatedAt
      ? bind("timestamptz", after.updatedAt)
      : `coalesce((SELECT ${sortName} FROM customers WHERE ${within} AND id = ${id}), ${start})`;
    conditions.push(`(${key}, id) ${order === "asc" ? ">" : "<"} (${last}, ${id})`);
  }
  const [all, rows] = [conditions.join(" AND "), rowsFor(limit)];
  const text =
    matches === ""
      ? `SELECT ${customerFields} FROM customers WHERE ${all} ORDER BY ${key} ${order}, id ${order} LIMIT ${rows}`
      : searchPage({ within: all, matches, key, order, rows });
  return { text, values };
}
