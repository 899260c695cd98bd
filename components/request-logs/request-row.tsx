"use client";

import type { ReactNode } from "react";
import { MethodBadge } from "@/components/docs/method-badge";
import { Badge } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import { Cell, Row, RowName } from "@/components/ui/table-cells";
import type { ListedRequest } from "./request-table";

type RequestRowProps = Pick<
  ListedRequest,
  "method" | "path" | "errorKind" | "isReplay" | "durationMs"
> & {
  /** Undefined where all requests use one key. */
  keyName: string | undefined;
  href: string;
  timeLabel: string;
  status: ReactNode;
  time: ReactNode;
};

export function RequestRow(request: RequestRowProps) {
  const { method, path, errorKind, isReplay, durationMs, keyName } = request;
  const { href, timeLabel, status, time } = request;
  return (
    <Row>
      <RowName>
        <Link
          href={href}
          prefetch={false}
          scroll={!href.includes("?")}
          className="row-link flex items-center gap-2.5"
        >
          <MethodBadge method={method} />
          <code className="min-w-0 break-all font-mono text-xs">
            {path.replace(/^\/v1\/public/, "")}
          </code>
        </Link>
      </RowName>
      <Cell label="Status">
        {status}
        {errorKind ? <span className="block pt-0.5 text-muted text-xs">{errorKind}</span> : null}
        {isReplay ? (
          <span className="block pt-1">
            <Badge>Replayed</Badge>
          </span>
        ) : null}
      </Cell>
      {keyName === undefined ? null : (
        <Cell label="Key">
          <span className="block max-w-40 truncate">{keyName}</span>
        </Cell>
      )}
      <Cell label="Duration" align="right">
        {durationMs.toLocaleString("en")} ms
      </Cell>
      <Cell label={timeLabel} align="right">
        {time}
      </Cell>
    </Row>
  );
}
