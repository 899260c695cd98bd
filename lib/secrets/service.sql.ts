import { bindings, type Query } from "@/lib/platform/sql";

/** The columns that hold sealed text (lib/platform/secret-box.ts), and the keys of their rows. */
export const sealedColumns = {
  webhookSecrets: {
    ...{ table: "webhook_secrets", column: "ciphertext", isSealed: "true" },
    key: { tenant_id: "text", environment: `"Environment"`, webhook_id: "text", version: "int" },
    beforeFirst: ["", "live", "", -1],
  },
  webhookHeaders: {
    ...{ table: "webhooks", column: "sealed_headers", isSealed: "sealed_headers IS NOT NULL" },
    key: { tenant_id: "text", environment: `"Environment"`, id: "text" },
    beforeFirst: ["", "live", ""],
  },
  storedResponses: {
    ...{ table: "idempotency_records", column: "body", isSealed: "is_encrypted" },
    key: { tenant_id: "text", environment: `"Environment"`, key: "text" },
    beforeFirst: ["", "live", ""],
  },
  waitingMails: {
    ...{ table: "mails", column: "content", isSealed: "content IS NOT NULL" },
    key: { id: "text" },
    beforeFirst: [""],
  },
  authenticatorApps: {
    ...{ table: "authenticator_apps", column: "sealed_secret", isSealed: "true" },
    key: { user_id: "text" },
    beforeFirst: [""],
  },
  alertTargets: {
    ...{ table: "alert_targets", column: "sealed_url", isSealed: "true" },
    key: { tenant_id: "text" },
    beforeFirst: [""],
  },
} as const;

export type SealedKind = keyof typeof sealedColumns;

const keyIdOf = (column: string) => `split_part(${column}, '.', 1)`;

/** How many of at most `limit` rows are encrypted with each master key. */
export function countByMasterKeyQuery(kind: SealedKind, limit: number): Query {
  const { table, column, isSealed } = sealedColumns[kind];
  const { bind, values } = bindings();
  const text = `SELECT key_id, count(*)::int AS count
    FROM (SELECT ${keyIdOf(column)} AS key_id FROM ${table} WHERE ${isSealed} LIMIT ${bind("int", limit)}) AS sealed GROUP BY key_id`;
  return { text, values };
}

/** The newest values, with the columns that their encryption is bound to. */
export function selectSampleQuery(kind: SealedKind, limit: number): Query {
  const { table, column, isSealed, key } = sealedColumns[kind];
  const { bind, values } = bindings();
  const names = Object.keys(key);
  const order = names.map((name) => `${name} DESC`).join(", ");
  const text = `SELECT ${names.join(", ")}, ${column} AS sealed FROM ${table} WHERE ${isSealed} ORDER BY ${order} LIMIT ${bind("int", limit)}`;
  return { text, values };
}

/** A row's key, in the order of its columns. */
export type RowKey = readonly (string | number)[];

/**
 * A batch of the values that are encrypted with any other key than the given one, in the order of
 * their primary keys.
 */
export function selectOutdatedQuery(
  kind: SealedKind,
  { currentKeyId, after, limit }: { currentKeyId: string; after: RowKey; limit: number },
): Query {
  const { table, column, isSealed, key } = sealedColumns[kind];
  const { bind, values } = bindings();
  const names = Object.keys(key).join(", ");
  const types: string[] = Object.values(key);
  const start = after.map((value, index) => `${bind("text", String(value))}::${types[index]}`);
  const text = `SELECT ${names}, ${column} AS sealed FROM ${table}
    WHERE ${isSealed} AND ${keyIdOf(column)} <> ${bind("text", currentKeyId)} AND (${names}) > (${start.join(", ")})
    ORDER BY ${names} LIMIT ${bind("int", limit)}`;
  return { text, values };
}

type Resealed = { key: RowKey; outdated: string; fresh: string };

/** Replaces texts, row by row, if they have not changed. Returns a row for each. */
export function replaceSealedQuery(kind: SealedKind, rows: Resealed[]): Query {
  const { table, column, key } = sealedColumns[kind];
  const { bind, values } = bindings();
  const names = Object.keys(key);
  const bindColumn = (pick: (row: Resealed) => unknown) =>
    bind("text[]", rows.map(pick).map(String));
  const columns = [bindColumn(({ fresh }) => fresh), bindColumn(({ outdated }) => outdated)];
  for (const [index, type] of Object.values(key).entries())
    columns.push(`${bindColumn((row) => row.key[index])}::${type}[]`);
  const text = `UPDATE ${table} AS row SET ${column} = fresh.sealed
    FROM unnest(${columns.join(", ")}) AS fresh (sealed, outdated, ${names.join(", ")})
    WHERE ${names.map((name) => `row.${name} = fresh.${name}`).join(" AND ")} AND row.${column} = fresh.outdated
    RETURNING 1`;
  return { text, values };
}
