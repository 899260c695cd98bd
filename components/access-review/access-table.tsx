import type { ReactNode } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { Cell, Row, RowActions, RowName, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";

type Act = () => Promise<ActionResult | ProofRequest>;

export type AccessRow = {
  id: string;
  name: string;
  /** The environment that it gives access to; null for both. */
  environment: Environment | null;
  /** Details that a reviewer needs. */
  detail: ReactNode;
  createdAt: Date;
  confirm: Act;
  revoke: Act;
};

type AccessTableProps = {
  title: string;
  noun: string;
  /** Heading of the column with the details. */
  details: string;
  /** What happens when one of them is confirmed or revoked, in sentences. */
  effects: { confirm: string; revoke: string };
  rows: AccessRow[];
  now: Date;
};

/**
 * One kind of suspended access, which is confirmed or revoked row by row. Renders nothing if there
 * is none.
 */
export function AccessTable({ title, noun, details, effects, rows, now }: AccessTableProps) {
  if (rows.length === 0) return null;
  return (
    <section className="space-y-3">
      <h2 className="font-semibold text-base">{title}</h2>
      <Table
        caption={`Suspended ${title.toLowerCase()}`}
        headings={[
          { label: "Name" },
          { label: details },
          { label: "Added" },
          { label: "Actions", isHidden: true },
        ]}
      >
        {rows.map(({ id, name, environment, detail, createdAt, confirm, revoke }) => (
          <Row key={id}>
            <RowName>
              <span className="wrap-anywhere font-medium">{name}</span>
            </RowName>
            <Cell label={details}>{detail}</Cell>
            <Cell label="Added">
              <Time at={createdAt} now={now} />
            </Cell>
            <RowActions>
              <span className="inline-flex gap-2">
                <ConfirmDialog
                  trigger="Confirm…"
                  label={`Confirm ${name}`}
                  variant="secondary"
                  size="small"
                  title={`Confirm this ${noun}?`}
                  environment={environment}
                  confirm={`Confirm ${noun}`}
                  confirmVariant="primary"
                  pending="Confirming…"
                  act={confirm}
                  done={`${name} was confirmed.`}
                >
                  <p className="wrap-anywhere font-medium">{name}</p>
                  <p>{effects.confirm}</p>
                </ConfirmDialog>
                <ConfirmDialog
                  trigger="Revoke…"
                  label={`Revoke ${name}`}
                  size="small"
                  title={`Revoke this ${noun}?`}
                  environment={environment}
                  confirm={`Revoke ${noun}`}
                  pending="Revoking…"
                  act={revoke}
                  done={`${name} was revoked.`}
                >
                  <p className="wrap-anywhere font-medium">{name}</p>
                  <p>{effects.revoke}</p>
                </ConfirmDialog>
              </span>
            </RowActions>
          </Row>
        ))}
      </Table>
    </section>
  );
}
