import { Table } from "@/components/ui/table";
import { ExactTime } from "@/components/ui/time";
import { zoneName } from "@/components/ui/viewer-time";
import { RequestRow } from "./request-row";
import { StatusBadge } from "./status-badge";

export type ListedRequest = {
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
  requests: ListedRequest[];
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
          <RequestRow
            key={id}
            {...{ method, path, errorKind, isReplay, durationMs }}
            keyName={hasKeys ? (keyName ?? "") : undefined}
            href={hrefOf(id)}
            timeLabel={time}
            status={<StatusBadge status={status} />}
            time={<ExactTime at={new Date(createdAt)} />}
          />
        ),
      )}
    </Table>
  );
}
