import { operation } from "@/lib/api/operation";
import { listAssigneesQuery, memberPage } from "@/lib/members/schema";
import { listAssignees } from "@/lib/members/service";

export const GET = operation({
  operationId: "listMembers",
  summary: "List the members, to assign conversations to them",
  description:
    "The `id` of a member is what `assigneeId` of a conversation takes. The members are the same in both environments. Those whose access is suspended are not listed.",
  scope: "read:conversations",
  mayReadReplica: true,
  query: listAssigneesQuery,
  response: memberPage,
  run: ({ caller, query }) => listAssignees(caller, query),
});
