import { operation } from "@/lib/api/operation";
import { message, messageParams } from "@/lib/conversations/message-schema";
import { getMessage } from "@/lib/conversations/messages";
import { redactMessage } from "@/lib/conversations/redact";
import { withoutLinks } from "@/lib/files/attachments";

export const GET = operation({
  operationId: "getMessage",
  summary: "Get a message",
  scope: "read:conversations",
  params: messageParams,
  response: message,
  withoutLinks,
  run: ({ caller, params }) => getMessage(caller, params.conversationId, params.messageId),
});

export const DELETE = operation({
  operationId: "redactMessage",
  summary: "Redact a message",
  description:
    "Removes the message's text, metadata and attachments. The message keeps its place: its id, sequence, author and times, with `redactedAt`. Its event is redacted too, and so is its preview in the conversation's events, and deliveries that were not sent yet have the redacted events. The log of the request that posted it is cleared after some seconds. Redacting it again changes nothing.",
  scope: "write:conversations",
  params: messageParams,
  response: message,
  versionOf: message,
  run: ({ caller, params }) => redactMessage(caller, params.conversationId, params.messageId),
});
