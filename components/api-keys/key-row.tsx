"use client";

import type { ReactNode } from "react";
import { Sparkline } from "@/components/ui/chart";
import { Link } from "@/components/ui/link";
import { Cell, Row, RowActions, RowName } from "@/components/ui/table-cells";
import type { ListedKey } from "./key-table";
import type { KeySummary } from "./types";

type KeyRowProps = Pick<KeySummary, "name" | "hint" | "scopes" | "requestsLastDay"> &
  Pick<ListedKey, "scopesLabel" | "createdBy" | "requests"> & {
    href: string;
    created: ReactNode;
    /** Null for a key that was never used. */
    lastUsed: ReactNode;
    status: ReactNode;
    menu: ReactNode;
  };

export function KeyRow(row: KeyRowProps) {
  const { name, hint, scopes, requestsLastDay, scopesLabel, createdBy, requests } = row;
  const { href, created, lastUsed, status, menu } = row;
  return (
    <Row>
      <RowName>
        <Link href={href} className="row-link block break-words font-medium">
          {name}
        </Link>
        <code className="font-mono text-muted text-xs">{hint}</code>
      </RowName>
      <Cell label="Scopes">
        <span title={scopes.join("\n")}>{scopesLabel}</span>
      </Cell>
      <Cell label="Created">
        {created}
        <span className="block max-w-40 truncate text-muted text-xs">{createdBy}</span>
      </Cell>
      <Cell label="Last used">{lastUsed ?? <span className="text-muted">Never</span>}</Cell>
      <Cell label="Last 24 hours">
        <Sparkline values={requests} label={requestsInWords(requestsLastDay)} />
        <span className="block text-muted text-xs tabular-nums" aria-hidden="true">
          {requestsLastDay.toLocaleString("en")}
        </span>
      </Cell>
      <Cell label="Status">{status}</Cell>
      <RowActions>{menu}</RowActions>
    </Row>
  );
}

const requestsInWords = (count: number) =>
  count === 1 ? "1 request" : `${count.toLocaleString("en")} requests`;
