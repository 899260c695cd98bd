import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { Cell, type Heading, Row, RowName, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import type { FoundDelivery } from "@/lib/deliveries/search";
import { AttemptCells, attemptHeadings } from "./attempt-cells";
import { DeliveryBadge } from "./delivery-badge";
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
          <Row key={id}>
            <RowName>
              <Link href={hrefOf(id)} scroll={false} className="row-link block font-medium">
                {eventType}
              </Link>
              <span className="relative z-1">
                <CopyableId id={id} />
              </span>
            </RowName>
            <Cell label="Status">
              <DeliveryBadge status={status} attemptCount={attemptCount} />
            </Cell>
            <Cell label="Last response">
              <ResponseBadge {...last} />
            </Cell>
            <AttemptCells attemptCount={attemptCount} nextAttemptAt={nextAttemptAt} now={now} />
            <Cell label="Created">
              <Time at={createdAt} now={now} />
            </Cell>
          </Row>
        ),
      )}
    </Table>
  );
}
