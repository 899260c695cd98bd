import { operation } from "@/lib/api/operation";
import { message, messageParams } from "@/lib/conversations/message-schema";
import { getMessage } from "@/lib/conversations/messages";

export const GET = operation({
  operationId: "getMessage",
  summary: "Get a message",
  scope: "read:conversations",
  params: messageParams,
  response: message,
  run: ({ caller, params }) => getMessage(caller, params.conversationId, params.messageId),
});
