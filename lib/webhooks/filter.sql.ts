import { passesFilterToday } from "@/lib/events/filter.sql";
import { sql } from "@/lib/platform/sql";

/** The newest events of some types, each by the index of its type, and whether they pass a filter. */
export const matchingEventsStatement = sql(
  null,
  {
    tenantId: "text",
    environment: "Environment",
    types: "text[]",
    filter: "jsonb?",
    limit: "int",
  },
  (p) => `
  WITH newest AS MATERIALIZED (
    SELECT e.* FROM unnest(${p.types}) AS wanted (type)
    CROSS JOIN LATERAL (
      SELECT tenant_id, environment, id, type, created_at, xact FROM events
      WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND type = wanted.type
      ORDER BY xact DESC, id DESC LIMIT ${p.limit}
    ) e
    ORDER BY e.xact DESC, e.id DESC LIMIT ${p.limit}
  )
  SELECT n.id, n.type, n.created_at AS "createdAt", ${passesFilterToday(p.filter, "n")} AS matches
  FROM newest n ORDER BY n.xact DESC, n.id DESC`,
);
