import type { Caller } from "@/lib/caller";
import { pageById, toPage } from "@/lib/schema";
import type { Event, ListEvents } from "./schema";

/** Events of the last 30 days, whether a webhook wanted them or not. */
export async function listEvents({ db, partition }: Caller, { type, since, ...page }: ListEvents) {
  const { after, orderBy, take } = pageById(page);
  const filters = { ...(type && { type }), ...(since && { createdAt: { gte: since } }) };
  const rows = await db.event.findMany({ where: { ...partition, ...filters, ...after }, orderBy, take });
  return toPage(rows, page.limit, ({ payload }) => JSON.parse(payload) as Event);
}
