import { operation } from "@/lib/api/operation";
import { customer, customerParams, updateCustomerBody } from "@/lib/customers/schema";
import { getCustomer, updateCustomer } from "@/lib/customers/service";

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
});
