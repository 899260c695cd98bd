import { Sparkline } from "@/components/ui/chart";
import { Link } from "@/components/ui/link";
import {
  Cell,
  Row,
  RowActions,
  RowName,
  type Sorting,
  sortedCaption,
  Table,
} from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import type { ApiKeyStatus } from "@/lib/api-keys/status";
import { KeyMenu } from "./key-dialogs";
import { KeyStatus } from "./key-status";
import type { KeySummary } from "./types";

export type KeyRow = {
  summary: KeySummary;
  /** A preset's name, the only scope, or their number. */
  scopesLabel: string;
  createdAt: Date;
  createdBy: string;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  status: ApiKeyStatus;
  /** Requests of each of the last 24 hours. */
  requests: number[];
};

const headings = [
  { label: "Key", sort: "name" },
  { label: "Scopes" },
  { label: "Created", sort: "created" },
  { label: "Last used", sort: "lastUsedAt" },
  { label: "Last 24 hours" },
  { label: "Status", sort: "status" },
  { label: "Actions", isHidden: true },
];

type KeyTableProps = {
  keys: KeyRow[];
  base: string;
  sorting: Sorting;
  now: Date;
  canManage: boolean;
};

export function KeyTable({ keys, base, sorting, now, canManage }: KeyTableProps) {
  return (
    <Table caption={sortedCaption("API keys", sorting)} headings={headings} sorting={sorting}>
      {keys.map((key) => (
        <Row key={key.summary.id}>
          <RowName>
            <Link
              href={`${base}/api-keys/${key.summary.id}`}
              className="row-link block break-words font-medium"
            >
              {key.summary.name}
            </Link>
            <code className="font-mono text-muted text-xs">{key.summary.hint}</code>
          </RowName>
          <Cell label="Scopes">
            <span title={key.summary.scopes.join("\n")}>{key.scopesLabel}</span>
          </Cell>
          <Cell label="Created">
            <Time at={key.createdAt} now={now} />
            <span className="block max-w-40 truncate text-muted text-xs">{key.createdBy}</span>
          </Cell>
          <Cell label="Last used">
            {key.lastUsedAt ? (
              <Time at={key.lastUsedAt} now={now} />
            ) : (
              <span className="text-muted">Never</span>
            )}
          </Cell>
          <Cell label="Last 24 hours">
            <Sparkline values={key.requests} label={requestsInWords(key.summary.requestsLastDay)} />
            <span className="block text-muted text-xs tabular-nums" aria-hidden="true">
              {key.summary.requestsLastDay.toLocaleString("en")}
            </span>
          </Cell>
          <Cell label="Status">
            <KeyStatus apiKey={key} now={now} />
          </Cell>
          <RowActions>
            {canManage && key.status !== "revoked" && key.status !== "expired" ? (
              <KeyMenu apiKey={key.summary} isRolling={key.status === "rolling"} />
            ) : null}
          </RowActions>
        </Row>
      ))}
    </Table>
  );
}

const requestsInWords = (count: number) =>
  count === 1 ? "1 request" : `${count.toLocaleString("en")} requests`;
