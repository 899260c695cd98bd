import { account } from "@/lib/account/schema";
import { getAccount } from "@/lib/account/service";
import { operation } from "@/lib/api/operation";

export const GET = operation({
  operationId: "getAccount",
  summary: "Get the account and the API key of the request",
  scope: "read:usage",
  response: account,
  run: ({ caller }) => getAccount(caller),
});
