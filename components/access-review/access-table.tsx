import type { ReactNode } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { Cell, Row, RowActions, RowName, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import type { ActionResult, ProofRequest } from "@/lib/action-result";

type Act = () => Promise<ActionResult | ProofRequest>;

export type AccessRow = {
  id: string;
  name: string;
  /** What a reviewer has to see of it besides its name. */
  detail: ReactNode;
  createdAt: Date;
  confirm: Act;
  revoke: Act;
};

type AccessTableProps = {
  title: string;
  noun: string;
  /** What confirming and revoking one of them does, as sentences. */
  effects: { confirm: string; revoke: string };
  rows: AccessRow[];
  now: Date;
};

/** One kind of suspended access, with the two ways out of it. Nothing at all where there is none. */
export function AccessTable({ title, noun, effects, rows, now }: AccessTableProps) {
  if (rows.length === 0) return null;
  return (
    <section className="space-y-3">
      <h2 className="font-semibold text-base">{title}</h2>
      <Table
        caption={`Suspended ${title.toLowerCase()}`}
        headings={[{ label: "Name" }, { label: "Details" }, { label: "Added" }, { label: "Actions", isHidden: true }]}
      >
        {rows.map(({ id, name, detail, createdAt, confirm, revoke }) => (
          <Row key={id}>
            <RowName>
              <span className="wrap-anywhere font-medium">{name}</span>
            </RowName>
            <Cell label="Details">{detail}</Cell>
            <Cell label="Added">
              <Time at={createdAt} now={now} />
            </Cell>
            <RowActions>
              <span className="inline-flex flex-wrap justify-end gap-2">
                <ConfirmDialog
                  trigger="Confirm…"
                  label={`Confirm ${name}`}
                  look="secondary"
                  size="small"
                  title={`Confirm this ${noun}?`}
                  environment={null}
                  confirm={`Confirm ${noun}`}
                  confirmLook="primary"
                  pending="Confirming…"
                  act={confirm}
                  done={`${name} is confirmed.`}
                >
                  <p>{effects.confirm}</p>
                </ConfirmDialog>
                <ConfirmDialog
                  trigger="Revoke…"
                  label={`Revoke ${name}`}
                  size="small"
                  title={`Revoke this ${noun}?`}
                  environment={null}
                  confirm={`Revoke ${noun}`}
                  pending="Revoking…"
                  act={revoke}
                  done={`${name} is revoked.`}
                >
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
