import type { Partition } from "@/lib/platform/caller";
import { bindings, type Query } from "@/lib/platform/sql";
import { firstIdAt } from "@/lib/resources/ids";
import type { EventType } from "./event-types";

/** The expression and the condition of `events_object_idx` in prisma/beyond-schema.sql. */
export const objectId = `substring(left(payload, 400) from '"object":\\{"id":"([^"]+)"')`;
export const isIndexed = "type NOT IN ('conversation.created', 'message.received', 'message.sent')";

/** A new object and its first event are written at the same time, by one process. */
const beforeObjectMs = 250;
const afterObjectMs = 1_500;

/** A process whose clock is ahead may have set the time of the row. */
const clockToleranceMs = 60_000;

export type ListEventsOfObject = {
  objectId: string;
  types?: readonly EventType[] | undefined;
  since?: Date | undefined;
  cursor?: string | undefined;
  limit: number;
  /** Newest first by default. */
  order?: "asc" | "desc";
};

/**
 * Events about one object. The busiest types are not in the index. Their events are written when
 * the object is created, so they are read from that moment.
 * @param times the object's creation, by its id and by its row. The row can be hours later
 */
export function eventsOfObjectStatement(
  { tenantId, environment }: Partition,
  query: ListEventsOfObject,
  { idTime, createdAt }: { idTime: Date; createdAt: Date },
): Query {
  const { bind, values } = bindings();
  const conditions = [
    `tenant_id = ${bind("text", tenantId)} AND environment = ${bind("Environment", environment)}`,
  ];
  const since = query.since && query.since > idTime ? query.since : idTime;
  const firstFrom = (ms: number) => bind("text", firstIdAt("event", new Date(ms - beforeObjectMs)));
  conditions.push(`id >= ${firstFrom(since.getTime())}`);
  const { order = "desc" } = query;
  if (query.cursor)
    conditions.push(`id ${order === "asc" ? ">" : "<"} ${bind("text", query.cursor)}`);
  if (query.types) conditions.push(`type = ANY (${bind("text[]", query.types)})`);
  const object = bind("text", query.objectId);
  const writtenMs = Math.max(idTime.getTime(), createdAt.getTime());
  const first = firstFrom(Math.max(idTime.getTime(), writtenMs - clockToleranceMs));
  const before = firstIdAt("event", new Date(writtenMs + afterObjectMs));
  const limit = bind("int", query.limit + 1);
  const where = conditions.join(" AND ");
  const text = `
  SELECT id, payload FROM (
    (SELECT id, payload FROM events WHERE ${where} AND ${isIndexed} AND ${objectId} = ${object} ORDER BY id ${order} LIMIT ${limit})
    UNION ALL
    (SELECT id, payload FROM events
      WHERE ${where} AND id >= ${first} AND id < ${bind("text", before)} AND NOT (${isIndexed}) AND strpos(payload, '"object":{"id":"' || ${object} || '"') > 0
      ORDER BY id ${order} LIMIT ${limit})
  ) AS found ORDER BY id ${order} LIMIT ${limit}`;
  return { text, values };
}
