import { changeSql } from "@/lib/platform/change-sql";
import type { Parameters } from "@/lib/platform/sql";
import {
  changeParameters,
  eventParameters,
  hasRecord,
  recordParameters,
  writeEvents,
  writeFirst,
} from "./outbox.sql";

/**
 * A row's version, for a statement that reads the row to change it: the transaction that wrote the row,
 * so each change makes another one.
 */
export const version = "xmin::text AS version";

const commonParameters = {
  ...changeParameters,
  ...recordParameters,
  ...eventParameters,
  id: "text",
  /** That of the row from which the other values were made. */
  version: "text",
  /** What filters of webhooks compare; null for an event that is about no conversation. */
  filterableStates: "jsonb?",
} as const;

/**
 * A change of a row that still has the version that was read, with its idempotency record, event and
 * deliveries. The row is locked first. If another transaction changes it meanwhile, it then has
 * another version.
 *
 * With many changes, those of locked rows are left out. Of the changes of one row, only the first is
 * made, because an UPDATE changes a row only once.
 * @param columns the parameters that are columns of the table
 */
export const versionedUpdateSql = <const P extends Parameters>(
  name: string,
  table: "conversations" | "customers",
  columns: P,
) =>
  changeSql(name, { ...commonParameters, ...columns }, ({ input, of, isMany }) => {
    const [i, go] = [of("input"), of("go")];
    const row = `FROM ${table} WHERE tenant_id = ${i.tenantId} AND environment = ${i.environment} AND id = ${i.id} AND xmin::text = ${i.version}`;
    const values = Object.keys(columns).map((column) => {
      const value = go[column as keyof typeof go];
      return `${value.replace("go.", "")} = ${value}`;
    });
    return `
  WITH input AS MATERIALIZED (${input}),
  ${isMany ? "first AS MATERIALIZED (SELECT DISTINCT ON (tenant_id, environment, id) * FROM input ORDER BY tenant_id, environment, id, n)," : ""}
  target AS MATERIALIZED (
    SELECT * FROM ${isMany ? "first AS input" : "input"} WHERE (SELECT true ${row} LIMIT 1 FOR NO KEY UPDATE${isMany ? " SKIP LOCKED" : ""})
  ),
  ${writeFirst(of, "target", isMany)},
  changed AS (
    UPDATE ${table} c SET ${values.join(", ")}, updated_at = ${go.at} FROM go
    WHERE c.tenant_id = ${go.tenantId} AND c.environment = ${go.environment} AND c.id = ${go.id}
  ),
  ${writeEvents(go, { conversations: go.filterableStates, isMany })}
  SELECT n, ARRAY(SELECT id FROM delivery WHERE event_id = ${go.eventId}) AS deliveries, true AS "isMade" FROM go
  ${
    isMany
      ? `UNION ALL SELECT n, NULL, false FROM input
    WHERE CASE WHEN n IN (SELECT n FROM go) THEN false ELSE n NOT IN (SELECT n FROM first) OR (SELECT true ${row}) IS NULL OR ${hasRecord(i)} END`
      : ""
  }`;
  });
