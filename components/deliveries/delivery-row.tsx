"use client";

import type { ReactNode } from "react";
import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { Cell, Row, RowName } from "@/components/ui/table-cells";

type DeliveryRowProps = {
  id: string;
  eventType: string;
  href: string;
  status: ReactNode;
  /** How the last attempt ended. */
  response: ReactNode;
  /** The cells about attempts. */
  attempts: ReactNode;
  created: ReactNode;
};

export function DeliveryRow(delivery: DeliveryRowProps) {
  const { id, eventType, href, status, response, attempts, created } = delivery;
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
      <Cell label="Status">{status}</Cell>
      <Cell label="Last response">{response}</Cell>
      {attempts}
      <Cell label="Created">{created}</Cell>
    </Row>
  );
}
