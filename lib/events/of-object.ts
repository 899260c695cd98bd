import type { Caller } from "@/lib/platform/caller";
import { readRows } from "@/lib/platform/db";
import { idTimeMs, kindOfId } from "@/lib/resources/ids";
import { toPage } from "@/lib/resources/pages";
import { eventsOfObjectStatement, type ListEventsOfObject } from "./of-object.sql";
import { toEvent } from "./service";

/** Events about one object. There are none if `objectId` is not an id. */
export async function listEventsOfObject(caller: Caller, query: ListEventsOfObject) {
  if (kindOfId(query.objectId) === null) return toPage([], query.limit, toEvent);
  const createdAt = new Date(idTimeMs(query.objectId));
  const statement = eventsOfObjectStatement(caller.partition, query, createdAt);
  return toPage(
    await readRows<{ id: string; payload: string }>(statement, caller),
    query.limit,
    toEvent,
  );
}
