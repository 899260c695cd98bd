import { deliveryBadges } from "@/components/deliveries/labels";
import { type Heading, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import type { Event } from "@/lib/events/schema";
import type { DeliveryStatus } from "@/prisma/generated/enums";
import { EventRow } from "./event-row";

const headings: Heading[] = [
  { label: "Event" },
  { label: "About" },
  { label: "Deliveries" },
  { label: "When" },
];

type EventTableProps = {
  /** `statuses` has one entry for each delivery of the event. */
  events: (Event & { statuses: DeliveryStatus[] })[];
  order: "asc" | "desc";
  base: string;
  now: Date;
};

export function EventTable({ events, order, base, now }: EventTableProps) {
  return (
    <Table caption={`Events, ${order === "asc" ? "oldest" : "newest"} first`} headings={headings}>
      {events.map(({ id, type, data, timestamp, statuses }) => (
        <EventRow
          key={id}
          {...{ id, type }}
          href={`${base}/events/${id}`}
          objectId={typeof data.object.id === "string" ? data.object.id : null}
          deliveries={countByStatus(statuses)}
          time={<Time at={new Date(timestamp)} now={now} />}
        />
      ))}
    </Table>
  );
}

/** "2 delivered", "1 failed": how many deliveries of an event have each status. */
function countByStatus(statuses: DeliveryStatus[]) {
  return (Object.keys(deliveryBadges) as DeliveryStatus[]).flatMap((status) => {
    const { label, variant } = deliveryBadges[status];
    const count = statuses.filter((other) => other === status).length;
    return count > 0 ? { label: `${count} ${label.toLowerCase()}`, variant } : [];
  });
}
