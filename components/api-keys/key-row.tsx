"use client";

import type { ReactNode } from "react";
import { Sparkline } from "@/components/ui/chart";
import { Link } from "@/components/ui/link";
import { Cell, Row, RowActions, RowName } from "@/components/ui/table-cells";
import { KeyMenu } from "./key-dialogs";
import type { KeySummary } from "./types";

type KeyRowProps = {
  summary: KeySummary;
  scopesLabel: string;
  createdBy: string;
  /** Requests of each of the last 24 hours. */
  requests: number[];
  href: string;
  /** What the menu offers, or null if there is none. */
  menu: { isRolling: boolean } | null;
  created: ReactNode;
  /** Null for a key that was never used. */
  lastUsed: ReactNode;
  status: ReactNode;
};

/**
 * A client component, so that the page carries for React only what differs from row to row. The server
 * renders what depends on the viewer's time zone.
 */
export function KeyRow(row: KeyRowProps) {
  const { summary, scopesLabel, createdBy, requests, href, menu, created, lastUsed, status } = row;
  return (
    <Row>
      <RowName>
        <Link href={href} className="row-link block break-words font-medium">
          {summary.name}
        </Link>
        <code className="font-mono text-muted text-xs">{summary.hint}</code>
      </RowName>
      <Cell label="Scopes">
        <span title={summary.scopes.join("\n")}>{scopesLabel}</span>
      </Cell>
      <Cell label="Created">
        {created}
        <span className="block max-w-40 truncate text-muted text-xs">{createdBy}</span>
      </Cell>
      <Cell label="Last used">{lastUsed ?? <span className="text-muted">Never</span>}</Cell>
      <Cell label="Last 24 hours">
        <Sparkline values={requests} label={requestsInWords(summary.requestsLastDay)} />
        <span className="block text-muted text-xs tabular-nums" aria-hidden="true">
          {summary.requestsLastDay.toLocaleString("en")}
        </span>
      </Cell>
      <Cell label="Status">{status}</Cell>
      <RowActions>
        {menu ? <KeyMenu apiKey={summary} isRolling={menu.isRolling} /> : null}
      </RowActions>
    </Row>
  );
}

const requestsInWords = (count: number) =>
  count === 1 ? "1 request" : `${count.toLocaleString("en")} requests`;
