"use client";

import { Pencil } from "lucide-react";
import { useState } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { FormDialog } from "@/components/shell/form-dialog";
import { MetadataField } from "@/components/ui/metadata-field";
import { toast } from "@/components/ui/toast";
import { useMetadataEdit } from "@/components/ui/use-metadata-edit";
import type { Customer, UpdateCustomer } from "@/lib/customers/schema";
import type { Environment } from "@/prisma/generated/enums";
import type { UpdateCustomerAction } from "./action-types";
import { CustomerFields, customerFields } from "./customer-fields";

type Props = {
  customer: Customer;
  environment: Environment;
  base: string;
  update: UpdateCustomerAction;
};

/** Sends only what changed since it was opened, so that edits by others in the meantime stay. */
export function EditCustomerDialog({ customer, environment, base, update }: Props) {
  const [seen, setSeen] = useState(customer);
  const { rows, setRows, isInvalid, patch, restart } = useMetadataEdit(customer.metadata);

  function changes(form: FormData): UpdateCustomer {
    const metadata = patch();
    return {
      ...changedFields(seen, form),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    };
  }

  return (
    <FormDialog
      trigger={
        <>
          <Pencil className="size-4" aria-hidden="true" />
          Edit
        </>
      }
      variant="secondary"
      title="Edit customer"
      description={
        <>
          In <EnvironmentName environment={environment} />. The API returns your changes
          immediately.
        </>
      }
      submit="Save"
      pending="Saving…"
      isInvalid={isInvalid}
      send={(form) => update(changes(form))}
      onDone={() => toast.success("Customer updated.")}
      onOpen={() => {
        setSeen(customer);
        restart();
      }}
      apiCall={(form) => ({
        operationId: "updateCustomer",
        ids: { customerId: customer.id },
        body: changes(form),
      })}
      existingPath={`${base}/customers`}
    >
      {(errors) => (
        <>
          <CustomerFields values={seen} errors={errors} />
          <MetadataField rows={rows} onChange={setRows} errors={errors} />
        </>
      )}
    </FormDialog>
  );
}

function changedFields(seen: Customer, form: FormData): UpdateCustomer {
  const typed = customerFields.map(
    (name) => [name, String(form.get(name) ?? "").trim() || null] as const,
  );
  return Object.fromEntries(typed.filter(([name, value]) => value !== seen[name]));
}
