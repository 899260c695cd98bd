import { operation } from "@/lib/api/operation";
import { searchConversations } from "@/lib/conversations/search";
import { foundConversations, searchConversationsQuery } from "@/lib/conversations/search-schema";

export const GET = operation({
  operationId: "searchConversations",
  summary: "Search conversations",
  description:
    "Searches messages, notes included, subjects, and the name, email address, phone number and `externalId` of customers. All words must occur in one message, in the subject or in the customer's fields; those of the subject and the customer count for every message. New messages are found after about a second.",
  scope: "read:conversations",
  mayReadReplica: true,
  query: searchConversationsQuery,
  response: foundConversations,
  run: ({ caller, query }) => searchConversations(caller, query),
});
