"use client";

import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { CopyableId } from "@/components/ui/copyable-id";
import { Json } from "@/components/ui/json";
import { Link } from "@/components/ui/link";
import { Facts } from "@/components/ui/panel";
import type { Environment } from "@/prisma/generated/enums";

export type AuditRow = {
  sequence: number;
  at: Date;
  /** The time as the viewer reads it. */
  time: ReactNode;
  actor: { id: string; name: string };
  action: string;
  targetId: string;
  /** Its current name, or null if it is no longer known. */
  targetName: string | null;
  /** The page of the target, if it has one. */
  targetHref: string | null;
  environment: Environment | null;
  address: string | null;
  requestId: string | null;
  changes: unknown;
  /** The log filtered by this actor. */
  actorHref: string;
};

const columns =
  "grid grid-cols-[1rem_minmax(0,1fr)] gap-x-3 gap-y-1 sm:grid-cols-[1rem_minmax(0,1.2fr)_minmax(0,1.2fr)_minmax(0,1fr)_7rem]";

/** Entries that expand in place, without another request. */
export function EntryList({ entries }: { entries: AuditRow[] }) {
  return (
    <div className="rounded-2xl border border-line bg-surface">
      <div
        aria-hidden="true"
        className={`${columns} border-line border-b px-4 py-2.5 font-medium text-muted text-xs max-sm:hidden`}
      >
        <span className="col-start-2">Action</span>
        <span>Target</span> <span>Actor</span>
        <span className="text-right">Time</span>
      </div>
      <ol className="divide-y divide-line">
        {entries.map((entry) => (
          <li key={entry.sequence}>
            <details className="group">
              <summary
                className={`${columns} list-none items-baseline px-4 py-3 hover:bg-sunken/60 [&::-webkit-details-marker]:hidden`}
              >
                <ChevronRight
                  className="size-4 translate-y-0.5 text-muted transition-transform group-open:rotate-90"
                  aria-hidden="true"
                />
                <span className="flex flex-wrap items-center gap-2 font-medium">
                  {entry.action}
                  {entry.environment ? <EnvironmentName environment={entry.environment} /> : null}
                </span>
                <span dir="auto" className="truncate max-sm:col-start-2">
                  {targetOf(entry) ?? <code className="font-mono text-xs">{entry.targetId}</code>}
                </span>
                <span dir="auto" className="truncate max-sm:col-start-2">
                  {entry.actor.name}
                </span>
                <span className="text-muted max-sm:col-start-2 sm:text-right">{entry.time}</span>
              </summary>
              <div className="space-y-4 border-line border-t bg-sunken/40 px-4 py-4 sm:pl-11">
                <Facts facts={factsOf(entry)} />
                {isEmpty(entry.changes) ? null : (
                  <Json value={entry.changes} label={`the changes of entry ${entry.sequence}`} />
                )}
              </div>
            </details>
          </li>
        ))}
      </ol>
    </div>
  );
}

function factsOf(entry: AuditRow) {
  const { sequence, at, actor, actorHref, targetId, targetHref, address, requestId } = entry;
  const link = (href: string, text: string): ReactNode => (
    <Link href={href} prefetch={false} className="text-accent underline underline-offset-2">
      {text}
    </Link>
  );
  return [
    { name: "Entry", value: sequence.toLocaleString("en") },
    { name: "Time", value: `${at.toISOString().replace("T", " ").replace("Z", "")} UTC` },
    {
      name: "Actor",
      value: (
        <span className="flex flex-wrap items-center gap-x-3">
          {[<CopyableId key="id" id={actor.id} />, link(actorHref, `All entries by ${actor.name}`)]}
        </span>
      ),
    },
    {
      name: "Target",
      value: (
        <span className="flex flex-wrap items-center gap-x-3">
          {[
            <CopyableId key="id" id={targetId} />,
            targetHref ? link(targetHref, `Open ${targetOf(entry) ?? ""}`) : null,
          ]}
        </span>
      ),
    },
    { name: "IP address", value: address },
    { name: "Request", value: requestId ? <CopyableId id={requestId} /> : null },
  ];
}

/** The target's current name, or the one stored in the entry. */
const targetOf = ({ targetName, changes }: AuditRow) => targetName ?? about(changes);

/** The target's name in the changes, if they contain one. */
function about(changes: unknown): string | null {
  const { before, after } = (changes ?? {}) as {
    before?: Record<string, unknown>;
    after?: Record<string, unknown>;
  };
  const named = [after, before]
    .flatMap((side) => [side?.name, side?.email, side?.url])
    .find((text) => typeof text === "string");
  return typeof named === "string" ? named : null;
}

const isEmpty = (changes: unknown) =>
  typeof changes !== "object" || changes === null || Object.keys(changes).length === 0;
