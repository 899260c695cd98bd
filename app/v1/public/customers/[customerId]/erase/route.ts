import { operation } from "@/lib/api/operation";
import { customerParams } from "@/lib/customers/schema";
import { erasure } from "@/lib/erasures/schema";
import { eraseCustomer } from "@/lib/erasures/service";

export const POST = operation({
  operationId: "eraseCustomer",
  summary: "Erase a customer",
  description:
    "Removes everything personal about a customer. The customer's own fields are cleared immediately. In the background, it removes the content of their conversations and messages, attachments, events and what is stored of their deliveries, logged requests and stored responses. Ids, statuses, times and counts remain. Then it raises `customer.erased`, and an entry in the audit log certifies it. This cannot be undone. A request while an erasure is in progress returns that one; after it, a new erasure removes what was written since.",
  scope: "write:customers",
  status: 202,
  params: customerParams,
  response: erasure,
  run: ({ caller, params }) => eraseCustomer(caller, params.customerId),
});
