import Link from "next/link";
import { MethodBadge } from "@/components/docs/method-badge";
import { Badge } from "@/components/ui/badge";
import { Cell, Row, RowName, Table } from "@/components/ui/table";
import { ExactTime } from "@/components/ui/time";
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

type RequestTableProps = { caption: string; requests: RequestRow[]; base: string };

export function RequestTable({ caption, requests, base }: RequestTableProps) {
  const hasKeys = requests.some(({ keyName }) => keyName !== undefined);
  const headings = [
    { label: "Request" },
    { label: "Status" },
    ...(hasKeys ? [{ label: "Key" }] : []),
    { label: "Duration", align: "right" as const },
    { label: "Time (UTC)", align: "right" as const },
  ];
  return (
    <Table caption={caption} headings={headings}>
      {requests.map(
        ({ id, method, path, status, errorKind, isReplay, durationMs, createdAt, keyName }) => (
          <Row key={id}>
            <RowName>
              <Link
                href={`${base}/logs/${id}`}
                prefetch={false}
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
            <Cell label="Time (UTC)" align="right">
              <ExactTime at={new Date(createdAt)} />
            </Cell>
          </Row>
        ),
      )}
    </Table>
  );
}
