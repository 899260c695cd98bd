import { Link } from "@/components/ui/link";
import { Cell, Row, RowName, Table } from "@/components/ui/table";

export type KeyUsage = { id: string; name: string; hint: string; apiRequests: number };

const share = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

/** Requests by key. */
export function KeyUsageTable({ keys, base }: { keys: KeyUsage[]; base: string }) {
  const total = keys.reduce((sum, { apiRequests }) => sum + apiRequests, 0);
  return (
    <Table
      caption="Requests by key, busiest first"
      headings={[
        { label: "Key" },
        { label: "Share", align: "right" },
        { label: "API requests", align: "right" },
      ]}
    >
      {keys.map(({ id, name, hint, apiRequests }) => (
        <Row key={id}>
          <RowName>
            <Link
              href={`${base}/api-keys/${id}`}
              className="row-link block break-words font-medium"
            >
              {name}
            </Link>
            <code className="font-mono text-muted text-xs">{hint}</code>
          </RowName>
          <Cell label="Share" align="right">
            {share.format(apiRequests / total)}
          </Cell>
          <Cell label="API requests" align="right">
            {apiRequests.toLocaleString("en")}
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
