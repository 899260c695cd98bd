import type { Caller } from "@/lib/platform/caller";
import { readRows } from "@/lib/platform/db";
import { idTimeMs, kindOfId } from "@/lib/resources/ids";
import { toPage } from "@/lib/resources/pages";
import { eventsOfObjectStatement, type ListEventsOfObject } from "./of-object.sql";
import { toEvent } from "./service";

/** Events about one object. There are none if `objectId` is not an id. */
export async function listEventsOfObject(caller: Caller, query: ListEventsOfObject) {
  if (kindOfId(query.objectId) === null) return toPage([], query.limit, toEvent);
  const idTime = new Date(idTimeMs(query.objectId));
  const createdAt = (await messageTime(caller, query.objectId)) ?? idTime;
  const statement = eventsOfObjectStatement(caller.partition, query, { idTime, createdAt });
  return toPage(
    await readRows<{ id: string; payload: string }>(statement, caller),
    query.limit,
    toEvent,
  );
}

/** When a message was written. A reply in a webhook's response has the id's time of its question. */
async function messageTime({ db, partition }: Caller, id: string): Promise<Date | undefined> {
  if (kindOfId(id) !== "message") return undefined;
  const message = await db.message.findUnique({
    where: { tenantId_environment_id: { ...partition, id } },
    select: { createdAt: true },
  });
  return message?.createdAt;
}
