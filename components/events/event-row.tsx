"use client";

import type { ReactNode } from "react";
import { Badge, type BadgeVariant } from "@/components/ui/badge";
import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { Cell, Row, RowName } from "@/components/ui/table-cells";

type EventRowProps = {
  id: string;
  type: string;
  href: string;
  /** The id of the object that the event is about. */
  objectId: string | null;
  /** How many deliveries have each status, in words. */
  deliveries: { label: string; variant: BadgeVariant }[];
  time: ReactNode;
};

export function EventRow({ id, type, href, objectId, deliveries, time }: EventRowProps) {
  return (
    <Row>
      <RowName>
        <Link href={href} className="row-link block font-medium">
          {type}
        </Link>
        <span className="relative z-1">
          <CopyableId id={id} />
        </span>
      </RowName>
      <Cell label="About">
        <span className="relative z-1">{objectId ? <CopyableId id={objectId} /> : "–"}</span>
      </Cell>
      <Cell label="Deliveries">
        {deliveries.length === 0 ? (
          <span className="text-muted">No webhook subscribed</span>
        ) : (
          <span className="inline-flex flex-wrap justify-end gap-1.5 lg:justify-start">
            {deliveries.map(({ label, variant }) => (
              <Badge key={label} variant={variant}>
                {label}
              </Badge>
            ))}
          </span>
        )}
      </Cell>
      <Cell label="When">{time}</Cell>
    </Row>
  );
}
