"use client";

import type { ReactNode } from "react";
import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { Cell, Row, RowName } from "@/components/ui/table-cells";
import type { Customer } from "@/lib/customers/schema";

type CustomerRowProps = Pick<
  Customer,
  "id" | "email" | "phone" | "externalId" | "conversationCount"
> & {
  displayName: string;
  href: string;
  created: ReactNode;
  updated: ReactNode;
};

export function CustomerRow(customer: CustomerRowProps) {
  const { id, displayName, email, phone, externalId, conversationCount } = customer;
  const { href, created, updated } = customer;
  return (
    <Row>
      <RowName>
        <Link dir="auto" href={href} className="row-link wrap-anywhere block font-medium">
          {displayName}
        </Link>
        <span className="relative z-1">
          <CopyableId id={id} />
        </span>
      </RowName>
      <Cell label="Contact">
        {email || !phone ? <Value text={email} /> : null}
        {phone ? <Value text={phone} /> : null}
      </Cell>
      <Cell label="External ID">
        <Value text={externalId} />
      </Cell>
      <Cell label="Conversations" align="right">
        {conversationCount.toLocaleString("en")}
      </Cell>
      <Cell label="Created">
        <span className="lg:whitespace-normal">{created}</span>
      </Cell>
      <Cell label="Updated">
        <span className="lg:whitespace-normal">{updated}</span>
      </Cell>
    </Row>
  );
}

function Value({ text }: { text: string | null }) {
  if (!text) return <span className="text-muted">–</span>;
  return (
    <span dir="auto" className="wrap-anywhere block lg:whitespace-normal xl:min-w-32">
      {text}
    </span>
  );
}
