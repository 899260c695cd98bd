import { AttemptCells, attemptHeadings } from "@/components/deliveries/attempt-cells";
import { DeliveryBadge } from "@/components/deliveries/delivery-badge";
import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { Cell, type Heading, Row, RowName, Table } from "@/components/ui/table";
import type { DeliveryStatus } from "@/prisma/generated/enums";

const headings: Heading[] = [
  { label: "Webhook" },
  { label: "Status" },
  ...attemptHeadings,
  { label: "Delivery" },
];

type EventDelivery = {
  id: string;
  status: DeliveryStatus;
  attemptCount: number;
  nextAttemptAt: Date | null;
  webhook: { id: string; url: string };
};

/** The deliveries of an event, one for each webhook. */
export function EventDeliveries({
  deliveries,
  base,
  now,
}: {
  deliveries: EventDelivery[];
  base: string;
  now: Date;
}) {
  return (
    <Table caption="Deliveries of this event" headings={headings}>
      {deliveries.map(({ id, status, attemptCount, nextAttemptAt, webhook }) => (
        <Row key={id}>
          <RowName>
            <Link
              href={`${base}/webhooks/${webhook.id}?delivery=${id}`}
              className="row-link wrap-anywhere block font-medium lg:min-w-56"
            >
              {webhook.url}
            </Link>
          </RowName>
          <Cell label="Status">
            <DeliveryBadge status={status} attemptCount={attemptCount} />
          </Cell>
          <AttemptCells attemptCount={attemptCount} nextAttemptAt={nextAttemptAt} now={now} />
          <Cell label="Delivery">
            <span className="relative z-1">
              <CopyableId id={id} />
            </span>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
