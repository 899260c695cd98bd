import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { Cell, Row, RowName, type Sorting, sortedCaption, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { displayName } from "@/lib/customers/display-name";
import type { Customer } from "@/lib/customers/schema";

const headings = [
  { label: "Customer", sort: "name" },
  { label: "Contact" },
  { label: "External ID" },
  { label: "Conversations", align: "right" as const },
  { label: "Created", sort: "created" },
  { label: "Updated", sort: "updatedAt" },
];

export function CustomerTable({
  customers,
  base,
  sorting,
  now,
}: {
  customers: Customer[];
  base: string;
  sorting: Sorting;
  now: Date;
}) {
  return (
    <Table caption={sortedCaption("Customers", sorting)} headings={headings} sorting={sorting}>
      {customers.map((customer) => (
        <Row key={customer.id}>
          <RowName>
            <Link
              dir="auto"
              href={`${base}/customers/${customer.id}`}
              className="row-link wrap-anywhere block font-medium"
            >
              {displayName(customer)}
            </Link>
            <span className="relative z-1">
              <CopyableId id={customer.id} />
            </span>
          </RowName>
          <Cell label="Contact">
            {customer.email || !customer.phone ? <Value text={customer.email} /> : null}
            {customer.phone ? <Value text={customer.phone} /> : null}
          </Cell>
          <Cell label="External ID">
            <Value text={customer.externalId} />
          </Cell>
          <Cell label="Conversations" align="right">
            {customer.conversationCount.toLocaleString("en")}
          </Cell>
          <Cell label="Created">
            <span className="lg:whitespace-normal">
              <Time at={new Date(customer.createdAt)} now={now} />
            </span>
          </Cell>
          <Cell label="Updated">
            <span className="lg:whitespace-normal">
              <Time at={new Date(customer.updatedAt)} now={now} />
            </span>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function Value({ text }: { text: string | null }) {
  if (!text) return <span className="text-muted">–</span>;
  return (
    <span dir="auto" className="wrap-anywhere block lg:whitespace-normal xl:min-w-32">
      {text}
    </span>
  );
}
