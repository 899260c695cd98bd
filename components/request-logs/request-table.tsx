import { MethodBadge } from "@/components/docs/method-badge";
import { Badge } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import { Cell, Row, RowName, Table } from "@/components/ui/table";
import { ExactTime } from "@/components/ui/time";
import { zoneName } from "@/components/ui/viewer-time";
import { StatusBadge } from "./status-badge";

export type RequestRow = {
  id: string;
  method: string;
  path: string;
  status: number;
  errorKind: string | null;
  isReplay: boolean;
  durationMs: number;
  createdAt: string;
  /** Omitted where all requests use one key. */
  keyName?: string;
};

type RequestTableProps = {
  caption: string;
  requests: RequestRow[];
  /** The page of a request, or the drawer over the list. */
  hrefOf: (id: string) => string;
};

export function RequestTable({ caption, requests, hrefOf }: RequestTableProps) {
  const hasKeys = requests.some(({ keyName }) => keyName !== undefined);
  const time = `Time (${zoneName(new Date(requests[0]?.createdAt ?? Date.now()))})`;
  const headings = [
    { label: "Request" },
    { label: "Status" },
    ...(hasKeys ? [{ label: "Key" }] : []),
    { label: "Duration", align: "right" as const },
    { label: time, align: "right" as const },
  ];
  return (
    <Table caption={caption} headings={headings}>
      {requests.map(
        ({ id, method, path, status, errorKind, isReplay, durationMs, createdAt, keyName }) => (
          <Row key={id}>
            <RowName>
              <Link
                href={hrefOf(id)}
                prefetch={false}
                scroll={!hrefOf(id).includes("?")}
                className="row-link flex items-center gap-2.5"
              >
                <MethodBadge method={method} />
                <code className="min-w-0 break-all font-mono text-xs">
                  {path.replace(/^\/v1\/public/, "")}
                </code>
              </Link>
            </RowName>
            <Cell label="Status">
              <StatusBadge status={status} />
              {errorKind ? (
                <span className="block pt-0.5 text-muted text-xs">{errorKind}</span>
              ) : null}
              {isReplay ? (
                <span className="block pt-1">
                  <Badge>Replayed</Badge>
                </span>
              ) : null}
            </Cell>
            {hasKeys ? (
              <Cell label="Key">
                <span className="block max-w-40 truncate">{keyName}</span>
              </Cell>
            ) : null}
            <Cell label="Duration" align="right">
              {durationMs.toLocaleString("en")} ms
            </Cell>
            <Cell label={time} align="right">
              <ExactTime at={new Date(createdAt)} />
            </Cell>
          </Row>
        ),
      )}
    </Table>
  );
}
