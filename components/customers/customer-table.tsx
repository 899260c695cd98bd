import Link from "next/link";
import { CopyableId } from "@/components/ui/copyable-id";
import { Cell, Row, RowName, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { displayName } from "@/lib/customers/display-name";
import type { Customer } from "@/lib/customers/schema";

const headings = [
  { label: "Customer" },
  { label: "Email" },
  { label: "Phone" },
  { label: "External id" },
  { label: "Conversations", align: "right" as const },
  { label: "Created" },
];

export function CustomerTable({
  customers,
  order,
  base,
  now,
}: {
  customers: Customer[];
  order: "asc" | "desc";
  base: string;
  now: Date;
}) {
  return (
    <Table
      caption={`Customers, ${order === "asc" ? "oldest" : "newest"} first`}
      headings={headings}
    >
      {customers.map((customer) => (
        <Row key={customer.id}>
          <RowName>
            <Link
              dir="auto"
              href={`${base}/customers/${customer.id}`}
              className="row-link block break-words font-medium"
            >
              {displayName(customer)}
            </Link>
            <span className="relative z-1">
              <CopyableId id={customer.id} />
            </span>
          </RowName>
          <Cell label="Email">
            <Value text={customer.email} />
          </Cell>
          <Cell label="Phone">
            <Value text={customer.phone} />
          </Cell>
          <Cell label="External id">
            <Value text={customer.externalId} />
          </Cell>
          <Cell label="Conversations" align="right">
            {customer.conversationCount.toLocaleString("en")}
          </Cell>
          <Cell label="Created">
            <Time at={new Date(customer.createdAt)} now={now} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function Value({ text }: { text: string | null }) {
  if (!text) return <span className="text-muted">–</span>;
  return (
    <span dir="auto" className="block max-w-56 truncate" title={text}>
      {text}
    </span>
  );
}
