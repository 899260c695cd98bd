import { newId } from "@/lib/resources/ids";

// The id of a delivery starts with the same time as that of its event. Both are therefore in the
// partitions of the same week, and an event's deliveries are found by their primary key.

const timeOf = (eventId: string) => eventId.slice(4, 14);

/** Longer than the rest of any id, and above all of them. */
const end = "Z".repeat(17);

/** For a delivery that is not written by the statement in outbox.sql.ts. */
export const newDeliveryId = (eventId: string): string =>
  `dlv_${timeOf(eventId)}${newId("delivery").slice(14)}`;

/** Bounds for the ids of these events' deliveries. Compare `eventId`, too. */
export const deliveryIdsOf = (eventIds: string[]) => {
  const times = eventIds.map(timeOf).sort();
  return { gt: `dlv_${times[0] ?? ""}`, lt: `dlv_${times.at(-1) ?? ""}${end}` };
};

/** The same in SQL: the names of the columns with the ids of a delivery and of its event. */
export const isDeliveryOf = (deliveryId: string, eventId: string): string =>
  `${deliveryId} > 'dlv_' || substr(${eventId}, 5, 10) AND ${deliveryId} < 'dlv_' || substr(${eventId}, 5, 10) || '${end}'`;
