import type { Caller } from "@/lib/caller";
import { notFound } from "@/lib/errors";
import { firstIdAt } from "@/lib/ids";
import { pageById, toPage } from "@/lib/schema";
import type { Event, ListEvents } from "./schema";

/** Events of the last 30 days, whether a webhook wanted them or not. */
export async function listEvents({ db, partition }: Caller, { type, since, ...page }: ListEvents) {
  const { after, orderBy, take } = pageById(page);
  // An id is never of an earlier time than its row: ids bound what is read, and times choose among it.
  const isSince = since && { createdAt: { gte: since }, id: { gte: firstIdAt("event", since) } };
  const where = { ...partition, ...(type && { type }), AND: [after, isSince ?? {}] };
  const rows = await db.event.findMany({ where, orderBy, take });
  return toPage(rows, page.limit, toEvent);
}

export async function getEvent(caller: Caller, id: string) {
  return toEvent({ payload: await getPayload(caller, id) });
}

/** An event as it is signed and sent, byte for byte. */
export async function getPayload({ db, partition }: Caller, id: string): Promise<string> {
  const found = await db.event.findUnique({ where: { tenantId_environment_id: { ...partition, id } } });
  if (!found) throw notFound("event", id);
  return found.payload;
}

/** What was signed and sent is what the API answers. */
const toEvent = ({ payload }: { payload: string }) => JSON.parse(payload) as Event;
