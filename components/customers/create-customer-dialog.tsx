"use client";

import { CreateDialog } from "@/components/shell/create-dialog";
import { trimmedFields } from "@/lib/platform/form-fields";
import type { Environment } from "@/prisma/generated/enums";
import type { CreateCustomerAction } from "./action-types";
import { CustomerFields } from "./customer-fields";

export function CreateCustomerDialog({
  base,
  environment,
  create,
}: {
  base: string;
  environment: Environment;
  create: CreateCustomerAction;
}) {
  return (
    <CreateDialog
      title="Create customer"
      environment={environment}
      create={create}
      path={`${base}/customers`}
      apiCall={(form) => ({ operationId: "createCustomer", body: trimmedFields(form) })}
    >
      {(errors) => (
        <>
          <p className="text-muted">Fill in at least one of the first four fields.</p>
          <CustomerFields errors={errors} />
        </>
      )}
    </CreateDialog>
  );
}
