import { MethodBadge } from "@/components/docs/method-badge";
import { Link } from "@/components/ui/link";
import { withQuery } from "@/components/ui/pager";
import { Cell, Row, RowName, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import type { ErrorGroup } from "@/lib/request-logs/schema";
import { StatusBadge } from "./status-badge";

const headings = [
  { label: "Error" },
  { label: "Operation" },
  { label: "Status" },
  { label: "Requests", align: "right" as const },
  { label: "Last", align: "right" as const },
];

type ErrorGroupsProps = {
  groups: ErrorGroup[];
  path: string;
  query: Record<string, string | string[] | undefined>;
  now: Date;
};

/** Rejected and failed requests by error and operation. Each links to its requests. */
export function ErrorGroups({ groups, path, query, now }: ErrorGroupsProps) {
  return (
    <Table caption="Errors by type and operation, most frequent first" headings={headings}>
      {groups.map(({ errorKind, method, operation, status, count, lastAt }) => (
        <Row key={`${errorKind} ${method} ${operation} ${status}`}>
          <RowName>
            <Link
              href={withQuery(path, query, {
                group: null,
                status: String(status),
                errorKind,
                method,
                operation,
              })}
              prefetch={false}
              className="row-link block font-medium"
            >
              {errorKind ?? "No error type"}
            </Link>
          </RowName>
          <Cell label="Operation">
            <span className="inline-flex items-center gap-2">
              <MethodBadge method={method} />
              <code className="break-all font-mono text-xs">
                {operation.replace(/^\/v1\/public/, "")}
              </code>
            </span>
          </Cell>
          <Cell label="Status">
            <StatusBadge status={status} />
          </Cell>
          <Cell label="Requests" align="right">
            {count.toLocaleString("en")}
          </Cell>
          <Cell label="Last" align="right">
            <Time at={lastAt} now={now} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
