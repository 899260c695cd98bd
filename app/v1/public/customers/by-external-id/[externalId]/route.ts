import { operation } from "@/lib/api/operation";
import { customer, externalIdParams, upsertCustomerBody } from "@/lib/customers/schema";
import { updateCustomerInOneStatement, upsertCustomer } from "@/lib/customers/update";

export const PUT = operation({
  operationId: "upsertCustomer",
  summary: "Create a customer, or change the one with this externalId",
  description:
    "If no customer has this `externalId`, it creates one and returns 201. Otherwise it changes the given fields like `PATCH`, and returns 200. However many requests arrive at the same time, they create one customer.",
  scope: "write:customers",
  statusIfNew: 201,
  params: externalIdParams,
  body: upsertCustomerBody,
  response: customer,
  versionOf: customer,
  run: ({ caller, params, body }) => upsertCustomer(caller, params.externalId, body),
  runInOneStatement: ({ identity, params: { externalId }, body, record, serialize }) =>
    updateCustomerInOneStatement(identity, { externalId }, body, record, serialize),
});
