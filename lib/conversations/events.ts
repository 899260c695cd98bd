import {
  changeOf,
  type EventDeclaration,
  type EventDeclarations,
  eventAbout,
  exampleFields,
  exampleRequest,
  exampleTimes,
} from "@/lib/events/declare-event";
import { event } from "@/lib/events/schema";
import { type Message, message, redactedMessage } from "./message-schema";
import { type Conversation, conversation, deletedConversation } from "./schema";

const orderQuestion: Conversation = {
  ...exampleFields,
  id: "cnv_01KG9P5Y40M7XQ3V8ZB1T6D2HC",
  status: "OPEN",
  channelId: "web",
  customerId: "cus_01KG9P5Y40A5N0K7R3W9E8S4JG",
  agentId: "agt_01KFE5GGW0Q6C2X8M4Z7V1B9TD",
  assigneeId: null,
  subject: "Where is my order?",
  priority: "NORMAL",
  tags: ["orders"],
  metadata: { orderNumber: 1042 },
  externalId: "ticket-1042",
  messageCount: 1,
  lastMessageAt: exampleTimes.created,
  lastMessagePreview: "Hello! Where is my order?",
  snoozedUntil: null,
  resolvedAt: null,
  closedAt: null,
};

const firstMessage: Message = {
  id: "msg_01KG9P5Y40H2D7F5T9Q1C6M8VX",
  environment: "test",
  conversationId: orderQuestion.id,
  sequence: 1,
  direction: "INBOUND",
  author: { type: "CUSTOMER", id: orderQuestion.customerId, name: "Ada Lovelace" },
  text: "Hello! Where is my order?",
  attachments: [],
  externalId: null,
  metadata: {},
  createdAt: exampleTimes.created,
  redactedAt: null,
};

const reply: Message = {
  ...firstMessage,
  id: "msg_01KG9PVXK0W5T8C3G7R1J4Q9NE",
  sequence: 2,
  direction: "OUTBOUND",
  author: { type: "AGENT", id: orderQuestion.agentId, name: "Concierge" },
  text: "It left the warehouse this morning.",
  attachments: [
    {
      id: "fil_01KG9PVW2R4J8K1M6N3P7Q5S9T",
      name: "label.pdf",
      contentType: "application/pdf",
      sizeBytes: 48_213,
      url: null,
      urlExpiresAt: null,
    },
  ],
  createdAt: exampleTimes.changed,
};

export const conversationEvents: EventDeclarations<"conversation"> = {
  "conversation.created": eventAbout(conversation, {
    description: "A conversation was created.",
    triggers: [
      "`POST /conversations`, or a member who starts a conversation in the dashboard.",
      'A message to a closed conversation with `onClosed: "new"`, which continues in a new conversation.',
      "If the conversation is created with a first message, `message.received` or `message.sent` follows as a separate event.",
    ],
    example: { timestamp: exampleTimes.created, request: exampleRequest, object: orderQuestion },
  }),
  "conversation.updated": changeOf(conversation, {
    description: "Fields of a conversation other than its status changed.",
    triggers: [
      "`PATCH /conversations/{conversationId}`, or a change in the dashboard, of any field except `status`.",
      "A change of the status raises `conversation.status_changed` instead, even if other fields change with it.",
      "A new message raises only its own event, although it changes `messageCount` and `lastMessageAt`.",
      "A change to the values that the conversation already has raises nothing.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: exampleRequest,
      object: { ...orderQuestion, updatedAt: exampleTimes.changed, priority: "HIGH" },
      previousAttributes: { priority: "NORMAL" },
    },
  }),
  "conversation.status_changed": changeOf(conversation, {
    description: "A conversation's status changed, and perhaps other fields with it.",
    triggers: [
      "`PATCH /conversations/{conversationId}` or the dashboard sets another status.",
      "A customer's message reopens a snoozed or resolved conversation. `message.received` is raised too.",
      "The time in `snoozedUntil` passes, and the conversation is `OPEN` again. `request` is then null.",
      "`previousAttributes.status` is the status before.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: exampleRequest,
      object: {
        ...orderQuestion,
        updatedAt: exampleTimes.changed,
        status: "RESOLVED",
        resolvedAt: exampleTimes.changed,
      },
      previousAttributes: { status: "OPEN", resolvedAt: null },
    },
  }),
  "conversation.deleted": eventAbout(deletedConversation, {
    description: "A conversation was deleted with its messages. The object has only ids.",
    triggers: [
      "`DELETE /conversations/{conversationId}`, or a member who deletes a conversation in the dashboard.",
      "`DELETE /customers/{customerId}?cascade=true` raises one for each conversation of the customer.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: exampleRequest,
      object: {
        id: orderQuestion.id,
        environment: "test",
        customerId: orderQuestion.customerId,
      },
    },
  }),
};

export const messageEvents: EventDeclarations<"message"> = {
  "message.received": withAgent(
    eventAbout(message, {
      description:
        "A customer's message was added to a conversation. Names the conversation's agent, and its published version.",
      triggers: [
        "A message whose author is the customer: `POST /conversations/{conversationId}/messages` without an `author`, or the first message of a new conversation.",
        "`agentId` and `agentVersion` name the conversation's agent and its published version, so that a bot knows which configuration to use.",
        "A receiver with `acceptsReplies` can reply in its response.",
      ],
      example: { timestamp: exampleTimes.created, request: exampleRequest, object: firstMessage },
    }),
  ),
  "message.sent": eventAbout(message, {
    description:
      "A message by a member, an agent or one of your programs was added to a conversation.",
    triggers: [
      "A message by a member, an agent, one of your programs or the system, through the API or the inbox.",
      "A reply that a receiver gave in its response to `message.received`.",
      'An internal note (`direction: "INTERNAL"`) raises nothing.',
    ],
    example: { timestamp: exampleTimes.changed, request: exampleRequest, object: reply },
  }),
  "message.redacted": eventAbout(redactedMessage, {
    description: "A message's text and metadata were removed. The object has only ids.",
    triggers: [
      "`DELETE /conversations/{conversationId}/messages/{messageId}`, or a member who redacts a message in the inbox.",
      "The text is also removed from the stored events and deliveries of the message.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: exampleRequest,
      object: {
        id: firstMessage.id,
        environment: "test",
        conversationId: orderQuestion.id,
        redactedAt: exampleTimes.changed,
      },
    },
  }),
};

function withAgent({ data, example, ...declared }: EventDeclaration): EventDeclaration {
  const { agentId, agentVersion } = event.shape.data.shape;
  return {
    ...declared,
    data: data.extend({ agentId: agentId.unwrap(), agentVersion: agentVersion.unwrap() }),
    example: {
      ...example,
      data: { ...example.data, agentId: orderQuestion.agentId, agentVersion: 1 },
    },
  };
}
