import { operation } from "@/lib/api/operation";
import {
  createMessageBody,
  listMessagesQuery,
  message,
  messagePage,
} from "@/lib/conversations/message-schema";
import { listMessages, postMessage, postMessageInOneStatement } from "@/lib/conversations/messages";
import { conversationParams } from "@/lib/conversations/schema";

export const GET = operation({
  operationId: "listMessages",
  summary: "List the messages of a conversation, oldest first",
  scope: "read:conversations",
  params: conversationParams,
  query: listMessagesQuery,
  response: messagePage,
  run: ({ caller, params, query }) => listMessages(caller, params.conversationId, query),
});

export const POST = operation({
  operationId: "postMessage",
  summary: "Post a message to a conversation",
  scope: "write:conversations",
  status: 201,
  params: conversationParams,
  body: createMessageBody,
  response: message,
  problems: ["conflict", "conversation-closed"],
  run: ({ caller, params, body }) => postMessage(caller, params.conversationId, body),
  runInOneStatement: ({ identity, params, body, record, serialize }) =>
    postMessageInOneStatement(identity, params.conversationId, body, record, serialize),
});
