import type { ReactNode } from "react";
import { Badge, type BadgeLook } from "@/components/ui/badge";
import { relativeTime, Time } from "@/components/ui/time";
import type { ApiKeyStatus } from "@/lib/api-keys/status";
import type { Environment } from "@/prisma/generated/enums";
import { RevokeKeyDialog } from "./revoke-key-dialog";
import type { RevokeKey } from "./states";

export type KeyRow = {
  id: string;
  name: string;
  hint: string;
  /** A preset's name, or the scopes themselves. */
  scopesLabel: string;
  scopes: string[];
  createdAt: Date;
  createdBy: string;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  status: ApiKeyStatus;
};

const statuses: Record<ApiKeyStatus, { label: string; look: BadgeLook }> = {
  active: { label: "Active", look: "good" },
  "expires-soon": { label: "Expires soon", look: "warn" },
  expired: { label: "Expired", look: "plain" },
  revoked: { label: "Revoked", look: "danger" },
};

/** A table where there is room; on a narrow screen each row is a block whose cells carry their heading. */
function Cell({ label, children }: { label: string; children: ReactNode }) {
  return (
    <td
      data-label={label}
      className="flex items-baseline justify-between gap-4 py-1 before:shrink-0 before:text-muted before:content-[attr(data-label)] lg:table-cell lg:px-3 lg:py-3 lg:align-top lg:before:content-none"
    >
      <span className="min-w-0 text-right lg:whitespace-nowrap lg:text-left">{children}</span>
    </td>
  );
}

const headings = ["Key", "Scopes", "Created", "Last used", "Expires", "Status"];

export function KeyTable({
  keys,
  environment,
  now,
  revokeKey,
}: {
  keys: KeyRow[];
  environment: Environment;
  now: Date;
  revokeKey: RevokeKey;
}) {
  return (
    <div className="rounded-2xl border border-line bg-surface">
      <table className="block w-full lg:table">
        <caption className="sr-only">API keys, newest first</caption>
        <thead className="sr-only lg:not-sr-only lg:table-header-group">
          <tr className="border-line border-b text-left text-muted text-xs">
            {headings.map((heading) => (
              <th key={heading} scope="col" className="whitespace-nowrap px-3 py-2.5 font-medium first:w-full first:pl-5">
                {heading}
              </th>
            ))}
            <th scope="col" className="py-2.5 pr-5">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody className="block divide-y divide-line lg:table-row-group">
          {keys.map((key) => (
            <tr key={key.id} className="block px-4 py-4 lg:table-row lg:px-0 lg:py-0">
              <th scope="row" className="block pb-2 text-left font-normal lg:table-cell lg:py-3 lg:pr-3 lg:pl-5 lg:align-top">
                <span className="block break-words font-medium">{key.name}</span>
                <code className="font-mono text-muted text-xs">{key.hint}</code>
              </th>
              <Cell label="Scopes">
                <span title={key.scopes.join("\n")}>{key.scopesLabel}</span>
              </Cell>
              <Cell label="Created">
                <Time at={key.createdAt} now={now} />
                <span className="block max-w-40 truncate text-muted text-xs">{key.createdBy}</span>
              </Cell>
              <Cell label="Last used">
                {key.lastUsedAt ? <Time at={key.lastUsedAt} now={now} /> : <span className="text-muted">Never</span>}
              </Cell>
              <Cell label="Expires">
                {key.expiresAt ? <Time at={key.expiresAt} now={now} /> : <span className="text-muted">Never</span>}
              </Cell>
              <Cell label="Status">
                <Badge look={statuses[key.status].look}>{statuses[key.status].label}</Badge>
              </Cell>
              <td className="block pt-2 text-right lg:table-cell lg:py-2.5 lg:pr-5 lg:align-top">
                {key.status === "revoked" ? null : (
                  <RevokeKeyDialog
                    apiKey={{ id: key.id, name: key.name, hint: key.hint }}
                    environment={environment}
                    lastUsed={key.lastUsedAt ? relativeTime(key.lastUsedAt, now) : null}
                    revokeKey={revokeKey}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
