import type { Message } from "@/lib/conversations/message-schema";
import type { Conversation } from "@/lib/conversations/schema";
import type { Customer } from "@/lib/customers/schema";
import type { Clear } from "@/lib/events/redact";

/** What an event shows of a message, a conversation or a customer after the customer was erased. */
export const clearObject =
  (at: Date): Clear =>
  (object, type) => {
    if (type.startsWith("message.")) return clearMessage(object as Message, at);
    if (type.startsWith("conversation.")) return clearConversation(object as Conversation);
    return clearCustomer(object as Customer, at);
  };

function clearMessage(message: Message, at: Date): Message {
  const { author } = message;
  const isOurs = author.type === "USER" || author.type === "AGENT";
  return {
    ...message,
    author: isOurs ? author : { ...author, id: null, name: null },
    text: "",
    attachments: [],
    externalId: null,
    metadata: {},
    redactedAt: message.redactedAt ?? at.toISOString(),
  };
}

const clearConversation = (conversation: Conversation): Conversation => ({
  ...conversation,
  subject: null,
  tags: [],
  metadata: {},
  externalId: null,
  lastMessagePreview: null,
});

const clearCustomer = (customer: Customer, at: Date): Customer => ({
  ...customer,
  externalId: null,
  name: null,
  email: null,
  phone: null,
  locale: null,
  metadata: {},
  erasedAt: customer.erasedAt ?? at.toISOString(),
});
