import { type Sorting, sortedCaption, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import type { ApiKeyStatus } from "@/lib/api-keys/status";
import { KeyMenu } from "./key-dialogs";
import { KeyRow } from "./key-row";
import { KeyStatus } from "./key-status";
import type { KeySummary } from "./types";

export type ListedKey = {
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
  keys: ListedKey[];
  base: string;
  sorting: Sorting;
  now: Date;
  canManage: boolean;
};

export function KeyTable({ keys, base, sorting, now, canManage }: KeyTableProps) {
  return (
    <Table caption={sortedCaption("API keys", sorting)} headings={headings} sorting={sorting}>
      {keys.map(({ summary, ...key }) => (
        <KeyRow
          key={summary.id}
          name={summary.name}
          hint={summary.hint}
          scopes={summary.scopes}
          requestsLastDay={summary.requestsLastDay}
          scopesLabel={key.scopesLabel}
          createdBy={key.createdBy}
          requests={key.requests}
          href={`${base}/api-keys/${summary.id}`}
          created={<Time at={key.createdAt} now={now} />}
          lastUsed={key.lastUsedAt ? <Time at={key.lastUsedAt} now={now} /> : null}
          status={<KeyStatus apiKey={key} now={now} />}
          menu={
            canManage && key.status !== "revoked" && key.status !== "expired" ? (
              <KeyMenu apiKey={summary} isRolling={key.status === "rolling"} />
            ) : null
          }
        />
      ))}
    </Table>
  );
}
