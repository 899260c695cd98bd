import { deliveryBadges } from "@/components/deliveries/labels";
import { Badge } from "@/components/ui/badge";
import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { Cell, type Heading, Row, RowName, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import type { Event } from "@/lib/events/schema";
import type { DeliveryStatus } from "@/prisma/generated/enums";

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
        <Row key={id}>
          <RowName>
            <Link href={`${base}/events/${id}`} className="row-link block font-medium">
              {type}
            </Link>
            <span className="relative z-1">
              <CopyableId id={id} />
            </span>
          </RowName>
          <Cell label="About">
            <span className="relative z-1">
              {typeof data.object.id === "string" ? <CopyableId id={data.object.id} /> : "–"}
            </span>
          </Cell>
          <Cell label="Deliveries">
            <DeliveryCounts statuses={statuses} />
          </Cell>
          <Cell label="When">
            <Time at={new Date(timestamp)} now={now} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

/** "2 Delivered", "1 Failed": how many deliveries of an event have each status. */
function DeliveryCounts({ statuses }: { statuses: DeliveryStatus[] }) {
  if (statuses.length === 0) return <span className="text-muted">No webhook subscribed</span>;
  const present = (Object.keys(deliveryBadges) as DeliveryStatus[]).filter((status) =>
    statuses.includes(status),
  );
  return (
    <span className="inline-flex flex-wrap justify-end gap-1.5 lg:justify-start">
      {present.map((status) => (
        <Badge key={status} variant={deliveryBadges[status].variant}>
          {statuses.filter((other) => other === status).length}{" "}
          {deliveryBadges[status].label.toLowerCase()}
        </Badge>
      ))}
    </span>
  );
}
