import { operation } from "@/lib/api/operation";
import { deleteCustomer } from "@/lib/conversations/delete";
import {
  customer,
  customerParams,
  deleteCustomerQuery,
  updateCustomerBody,
} from "@/lib/customers/schema";
import { getCustomer } from "@/lib/customers/service";
import { updateCustomer, updateCustomerInOneStatement } from "@/lib/customers/update";
import { deleted } from "@/lib/resources/id-schema";

export const GET = operation({
  operationId: "getCustomer",
  summary: "Get a customer",
  scope: "read:customers",
  params: customerParams,
  response: customer,
  run: ({ caller, params }) => getCustomer(caller, params.customerId),
});

export const PATCH = operation({
  operationId: "updateCustomer",
  summary: "Change a customer",
  scope: "write:customers",
  params: customerParams,
  body: updateCustomerBody,
  response: customer,
  versionOf: customer,
  problems: ["conflict"],
  run: ({ caller, params, body }) => updateCustomer(caller, params.customerId, body),
  runInOneStatement: ({ identity, params: { customerId: id }, body, record, serialize }) =>
    updateCustomerInOneStatement(identity, { id }, body, record, serialize),
});

export const DELETE = operation({
  operationId: "deleteCustomer",
  summary: "Delete a customer",
  description:
    "A customer with conversations is not deleted: the response is 409 `in-use` with their number. With `cascade=true` they are deleted too, in the same transaction. To meet a person's request for erasure, erase the customer instead.",
  scope: "write:customers",
  params: customerParams,
  query: deleteCustomerQuery,
  response: deleted("customer"),
  versionOf: customer,
  problems: ["in-use", "limit-reached"],
  run: ({ caller, params, query }) => deleteCustomer(caller, params.customerId, query),
});
