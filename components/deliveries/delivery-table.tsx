import { type Heading, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import type { FoundDelivery } from "@/lib/deliveries/search";
import { AttemptCells, attemptHeadings } from "./attempt-cells";
import { DeliveryBadge } from "./delivery-badge";
import { DeliveryRow } from "./delivery-row";
import { ResponseBadge } from "./response-badge";

const headings: Heading[] = [
  { label: "Event" },
  { label: "Status" },
  { label: "Last response" },
  ...attemptHeadings,
  { label: "Created" },
];

type DeliveryTableProps = {
  deliveries: FoundDelivery[];
  order: "asc" | "desc";
  hrefOf: (id: string) => string;
  now: Date;
};

export function DeliveryTable({ deliveries, order, hrefOf, now }: DeliveryTableProps) {
  return (
    <Table
      caption={`Deliveries, ${order === "asc" ? "oldest" : "newest"} first`}
      headings={headings}
    >
      {deliveries.map(
        ({ id, eventType, status, attemptCount, nextAttemptAt, createdAt, ...last }) => (
          <DeliveryRow
            key={id}
            {...{ id, eventType }}
            href={hrefOf(id)}
            status={<DeliveryBadge status={status} attemptCount={attemptCount} />}
            response={<ResponseBadge {...last} />}
            attempts={
              <AttemptCells attemptCount={attemptCount} nextAttemptAt={nextAttemptAt} now={now} />
            }
            created={<Time at={createdAt} now={now} />}
          />
        ),
      )}
    </Table>
  );
}
