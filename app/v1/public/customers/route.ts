import { operation } from "@/lib/api/operation";
import {
  createCustomerBody,
  customer,
  customerPage,
  listCustomersQuery,
} from "@/lib/customers/schema";
import {
  createCustomer,
  createCustomerInOneStatement,
  listCustomers,
} from "@/lib/customers/service";

export const GET = operation({
  operationId: "listCustomers",
  summary: "List customers, newest first",
  scope: "read:customers",
  mayReadReplica: true,
  query: listCustomersQuery,
  response: customerPage,
  run: ({ caller, query }) => listCustomers(caller, query),
});

export const POST = operation({
  operationId: "createCustomer",
  summary: "Create a customer",
  scope: "write:customers",
  status: 201,
  body: createCustomerBody,
  response: customer,
  problems: ["conflict"],
  run: ({ caller, body }) => createCustomer(caller, body),
  runInOneStatement: ({ identity, body, record, serialize }) =>
    createCustomerInOneStatement(identity, body, record, serialize),
});
