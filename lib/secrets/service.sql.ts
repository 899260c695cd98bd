/**
 * The columns that hold sealed text (lib/platform/secret-box.ts), and how their rows are told
 * apart.
 */
export const sealedColumns = {
  webhookSecrets: {
    ...{ table: "webhook_secrets", column: "ciphertext", isSealed: "true" },
    key: { tenant_id: "text", environment: `"Environment"`, webhook_id: "text", version: "int" },
    beforeFirst: ["", "live", "", -1],
  },
  storedAnswers: {
    ...{ table: "idempotency_records", column: "body", isSealed: "is_encrypted" },
    key: { tenant_id: "text", environment: `"Environment"`, key: "text" },
    beforeFirst: ["", "live", ""],
  },
  waitingMails: {
    ...{ table: "mails", column: "content", isSealed: "content IS NOT NULL" },
    key: { id: "text" },
    beforeFirst: [""],
  },
} as const;

export type SealedKind = keyof typeof sealedColumns;

const keyIdOf = (column: string) => `split_part(${column}, '.', 1)`;

/** How many are sealed with which master key; $1 rows are looked at, at the most. */
export function countByMasterKeySql(kind: SealedKind): string {
  const { table, column, isSealed } = sealedColumns[kind];
  return `SELECT key_id, count(*)::int AS count
    FROM (SELECT ${keyIdOf(column)} AS key_id FROM ${table} WHERE ${isSealed} LIMIT $1) AS sealed GROUP BY key_id`;
}

/** The newest, $1 at the most, with what they are bound to. */
export function selectSampleSql(kind: SealedKind): string {
  const { table, column, isSealed, key } = sealedColumns[kind];
  const names = Object.keys(key);
  const order = names.map((name) => `${name} DESC`).join(", ");
  return `SELECT ${names.join(", ")}, ${column} AS sealed FROM ${table} WHERE ${isSealed} ORDER BY ${order} LIMIT $1`;
}

/**
 * A batch of those not sealed with the key $1, at most $2, in the order of their keys and after the
 * one that follows as $3…
 */
export function selectOutdatedSql(kind: SealedKind): string {
  const { table, column, isSealed, key } = sealedColumns[kind];
  const names = Object.keys(key).join(", ");
  const after = Object.values(key).map((type, index) => `$${index + 3}::${type}`);
  return `SELECT ${names}, ${column} AS sealed FROM ${table}
    WHERE ${isSealed} AND ${keyIdOf(column)} <> $1 AND (${names}) > (${after.join(", ")}) ORDER BY ${names} LIMIT $2`;
}

/**
 * Puts $1 in the place of $2, row by row, where that still stands there; the arrays of keys follow
 * as $3…
 */
export function replaceSealedSql(kind: SealedKind): string {
  const { table, column, key } = sealedColumns[kind];
  const names = Object.keys(key);
  const arrays = Object.values(key).map((type, index) => `$${index + 3}::text[]::${type}[]`);
  return `UPDATE ${table} AS row SET ${column} = fresh.sealed
    FROM unnest($1::text[], $2::text[], ${arrays.join(", ")}) AS fresh (sealed, outdated, ${names.join(", ")})
    WHERE ${names.map((name) => `row.${name} = fresh.${name}`).join(" AND ")} AND row.${column} = fresh.outdated`;
}
