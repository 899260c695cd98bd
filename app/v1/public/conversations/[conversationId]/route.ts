import { operation } from "@/lib/api/operation";
import { deleteConversation } from "@/lib/conversations/delete";
import {
  conversation,
  conversationParams,
  updateConversationBody,
} from "@/lib/conversations/schema";
import { getConversation, updateConversation } from "@/lib/conversations/service";

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
});
