"use client";

import type { ReactNode } from "react";
import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { Cell, Row, RowName } from "@/components/ui/table-cells";
import type { DeliveryStatus } from "@/prisma/generated/enums";
import { DeliveryBadge } from "./delivery-badge";

type DeliveryRowProps = {
  id: string;
  eventType: string;
  status: DeliveryStatus;
  attemptCount: number;
  href: string;
  /** How the last attempt ended. */
  response: ReactNode;
  /** The cells about attempts. */
  attempts: ReactNode;
  created: ReactNode;
};

/**
 * A client component, so that the page carries for React only what differs from row to row. The server
 * renders what depends on the viewer's time zone.
 */
export function DeliveryRow(delivery: DeliveryRowProps) {
  const { id, eventType, status, attemptCount, href, response, attempts, created } = delivery;
  return (
    <Row>
      <RowName>
        <Link href={href} scroll={false} className="row-link block font-medium">
          {eventType}
        </Link>
        <span className="relative z-1">
          <CopyableId id={id} />
        </span>
      </RowName>
      <Cell label="Status">
        <DeliveryBadge status={status} attemptCount={attemptCount} />
      </Cell>
      <Cell label="Last response">{response}</Cell>
      {attempts}
      <Cell label="Created">{created}</Cell>
    </Row>
  );
}
