import { operation } from "@/lib/api/operation";
import {
  conversation,
  conversationPage,
  createConversationBody,
  listConversationsQuery,
} from "@/lib/conversations/schema";
import {
  createConversation,
  createConversationInOneStatement,
  listConversations,
} from "@/lib/conversations/service";

export const GET = operation({
  operationId: "listConversations",
  summary: "List conversations, newest first",
  scope: "read:conversations",
  mayReadReplica: true,
  query: listConversationsQuery,
  response: conversationPage,
  run: ({ caller, query }) => listConversations(caller, query),
});

export const POST = operation({
  operationId: "createConversation",
  summary: "Create a conversation, optionally with a first message",
  scope: "write:conversations",
  status: 201,
  body: createConversationBody,
  response: conversation,
  problems: ["conflict", "not-found"],
  run: ({ caller, body }) => createConversation(caller, body),
  runInOneStatement: ({ identity, body, record, serialize }) =>
    createConversationInOneStatement(identity, body, record, serialize),
});
