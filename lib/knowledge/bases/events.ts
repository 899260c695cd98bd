import {
  type EventDeclarations,
  eventAbout,
  exampleFields,
  exampleRequest,
  exampleTimes,
} from "@/lib/events/declare-event";
import { knowledgeBase } from "./schema";

export const knowledgeBaseEvents: EventDeclarations<"knowledgeBase"> = {
  "knowledge_base.created": eventAbout(knowledgeBase, {
    description: "A knowledge base was created.",
    example: {
      timestamp: exampleTimes.created,
      request: exampleRequest,
      object: {
        ...exampleFields,
        id: "kb_01KFE4ZWF0R8T5G2J9N3P7K6WC",
        name: "Handbook",
        description: "What every agent should know",
        documentCounts: { pending: 0, processing: 0, ready: 0, failed: 0 },
        sizeBytes: 0,
        metadata: {},
      },
    },
  }),
};
