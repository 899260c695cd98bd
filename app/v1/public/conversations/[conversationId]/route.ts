import { operation } from "@/lib/api/operation";
import { deleteConversation } from "@/lib/conversations/delete";
import {
  conversation,
  conversationParams,
  updateConversationBody,
} from "@/lib/conversations/schema";
import { getConversation } from "@/lib/conversations/service";
import { updateConversation, updateConversationInOneStatement } from "@/lib/conversations/update";
import { deleted } from "@/lib/resources/id-schema";

export const GET = operation({
  operationId: "getConversation",
  summary: "Get a conversation",
  scope: "read:conversations",
  params: conversationParams,
  response: conversation,
  run: ({ caller, params }) => getConversation(caller, params.conversationId),
});

export const PATCH = operation({
  operationId: "updateConversation",
  summary: "Change a conversation, for example its status",
  scope: "write:conversations",
  params: conversationParams,
  body: updateConversationBody,
  response: conversation,
  versionOf: conversation,
  problems: ["invalid-transition"],
  run: ({ caller, params, body }) => updateConversation(caller, params.conversationId, body),
  runInOneStatement: ({ identity, params, body, record, serialize }) =>
    updateConversationInOneStatement(identity, params.conversationId, body, record, serialize),
});

export const DELETE = operation({
  operationId: "deleteConversation",
  summary: "Delete a conversation and its messages",
  description:
    "The conversation, its messages and their attachments are gone immediately, however many there are. Usage still counts them. Events about it stay in the feed for their time; to remove a person's data from events too, erase the customer.",
  scope: "write:conversations",
  params: conversationParams,
  response: deleted("conversation"),
  versionOf: conversation,
  run: ({ caller, params }) => deleteConversation(caller, params.conversationId),
});
