import { type Sorting, sortedCaption, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import { displayName } from "@/lib/customers/display-name";
import type { Customer } from "@/lib/customers/schema";
import { CustomerRow } from "./customer-row";

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
        <CustomerRow
          key={customer.id}
          id={customer.id}
          displayName={displayName(customer)}
          email={customer.email}
          phone={customer.phone}
          externalId={customer.externalId}
          conversationCount={customer.conversationCount}
          href={`${base}/customers/${customer.id}`}
          created={<Time at={new Date(customer.createdAt)} now={now} />}
          updated={<Time at={new Date(customer.updatedAt)} now={now} />}
        />
      ))}
    </Table>
  );
}
