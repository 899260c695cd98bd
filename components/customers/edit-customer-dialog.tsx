"use client";

import { Pencil } from "lucide-react";
import { useState } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { buttonClass } from "@/components/ui/button";
import { Dialog, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { EditForm } from "@/components/ui/edit-form";
import { MetadataField } from "@/components/ui/metadata-field";
import type { Customer, UpdateCustomer } from "@/lib/customers/schema";
import {
  fromMetadataRows,
  metadataPatch,
  metadataProblem,
  toMetadataRows,
} from "@/lib/platform/metadata-rows";
import type { Environment } from "@/prisma/generated/enums";
import type { UpdateCustomerAction } from "./action-types";
import { CustomerFields, customerFields } from "./customer-fields";

type Props = {
  customer: Customer;
  environment: Environment;
  base: string;
  update: UpdateCustomerAction;
};

export function EditCustomerDialog({ customer, environment, base, update }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Dialog open={isOpen} onOpenChange={setIsOpen}>
      <DialogTrigger className={buttonClass({ variant: "secondary" })}>
        <Pencil className="size-4" aria-hidden="true" />
        Edit
      </DialogTrigger>
      <DialogContent
        title="Edit customer"
        description={
          <>
            The API returns your changes immediately, in{" "}
            <EnvironmentName environment={environment} />.
          </>
        }
      >
        <EditCustomer
          customer={customer}
          base={base}
          update={update}
          onSaved={() => setIsOpen(false)}
        />
      </DialogContent>
    </Dialog>
  );
}

/**
 * Sends only what changed, so that edits by others in the meantime stay. Mounted each time the dialog opens.
 */
function EditCustomer({
  customer,
  base,
  update,
  onSaved,
}: Pick<Props, "customer" | "base" | "update"> & { onSaved: () => void }) {
  const [seen] = useState(customer);
  const [rows, setRows] = useState(() => toMetadataRows(seen.metadata));
  const save = (form: FormData) =>
    metadataProblem(rows)
      ? null
      : update({ ...changedFields(seen, form), ...changedMetadata(seen, rows) });

  return (
    <EditForm save={save} done="Customer updated." onSaved={onSaved} path={`${base}/customers`}>
      {(errors) => (
        <>
          <CustomerFields values={seen} errors={errors} />
          <MetadataField rows={rows} onChange={setRows} errors={errors} />
        </>
      )}
    </EditForm>
  );
}

function changedFields(seen: Customer, form: FormData): UpdateCustomer {
  const typed = customerFields.map(
    (name) => [name, String(form.get(name) ?? "").trim() || null] as const,
  );
  return Object.fromEntries(typed.filter(([name, value]) => value !== seen[name]));
}

function changedMetadata(
  seen: Customer,
  rows: Parameters<typeof fromMetadataRows>[0],
): UpdateCustomer {
  const patch = metadataPatch(seen.metadata, fromMetadataRows(rows));
  return Object.keys(patch).length > 0 ? { metadata: patch } : {};
}
