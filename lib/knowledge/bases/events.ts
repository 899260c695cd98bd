import {
  changeOf,
  type EventDeclarations,
  eventAbout,
  exampleFields,
  exampleRequest,
  exampleTimes,
} from "@/lib/events/declare-event";
import { deletedKnowledgeBase, type KnowledgeBase, knowledgeBase } from "./schema";

const handbook: KnowledgeBase = {
  ...exampleFields,
  id: "kb_01KFE4ZWF0R8T5G2J9N3P7K6WC",
  name: "Handbook",
  description: "What every agent should know",
  language: "en",
  documentCounts: { pending: 0, processing: 0, ready: 0, failed: 0 },
  sizeBytes: 0,
  metadata: {},
};

export const knowledgeBaseEvents: EventDeclarations<"knowledgeBase"> = {
  "knowledge_base.created": eventAbout(knowledgeBase, {
    description: "A knowledge base was created.",
    triggers: ["`POST /knowledge-bases`, or the dashboard."],
    example: {
      timestamp: exampleTimes.created,
      request: exampleRequest,
      object: handbook,
    },
  }),
  "knowledge_base.updated": changeOf(knowledgeBase, {
    description: "Fields of a knowledge base changed.",
    triggers: [
      "`PATCH /knowledge-bases/{knowledgeBaseId}`, or the dashboard.",
      "A change to the values that the knowledge base already has raises nothing.",
      "Changes of its documents raise events of their own, and not this one.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: exampleRequest,
      object: { ...handbook, name: "Help center", updatedAt: exampleTimes.changed },
      previousAttributes: { name: "Handbook" },
    },
  }),
  "knowledge_base.deleted": eventAbout(deletedKnowledgeBase, {
    description: "A knowledge base was deleted with its documents. The object has only ids.",
    triggers: [
      "`DELETE /knowledge-bases/{knowledgeBaseId}`, or the dashboard.",
      "The documents in it raise no event of their own.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: exampleRequest,
      object: { id: "kb_01KFE4ZWF0R8T5G2J9N3P7K6WC", environment: "test" },
    },
  }),
};
