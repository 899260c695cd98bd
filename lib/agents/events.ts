import {
  changeOf,
  type EventDeclarations,
  eventAbout,
  exampleFields,
  exampleRequest,
  exampleTimes,
} from "@/lib/events/declare-event";
import { type Agent, agent, deletedAgent } from "./schema";

const concierge: Agent = {
  ...exampleFields,
  id: "agt_01KFE5GGW0Q6C2X8M4Z7V1B9TD",
  status: "DRAFT",
  name: "Concierge",
  description: "Answers questions about orders",
  model: "small-1",
  instructions: "Be brief and friendly.",
  greeting: "Hello! How can I help?",
  temperature: 0.3,
  knowledgeBaseIds: ["kb_01KFE4ZWF0R8T5G2J9N3P7K6WC"],
  metadata: {},
  version: null,
  hasUnpublishedChanges: true,
  publishedVersion: null,
  publishedAt: null,
};

export const agentEvents: EventDeclarations<"agent"> = {
  "agent.created": eventAbout(agent, {
    description: "An agent was created, as a draft.",
    triggers: ["`POST /agents`, the dashboard, or a copy from test to live."],
    example: { timestamp: exampleTimes.created, request: exampleRequest, object: concierge },
  }),
  "agent.updated": changeOf(agent, {
    description: "An agent's draft changed, or the agent was archived.",
    triggers: [
      "`PATCH /agents/{agentId}` or the dashboard changes the draft. The published version stays as it is.",
      "An agent is archived in the dashboard.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: exampleRequest,
      object: {
        ...concierge,
        updatedAt: exampleTimes.changed,
        instructions: "Be brief, friendly and exact.",
      },
      previousAttributes: { instructions: concierge.instructions },
    },
  }),
  "agent.published": changeOf(agent, {
    description:
      "A member published an agent in the dashboard. The object is the published version.",
    triggers: [
      "A member publishes an agent in the dashboard, or rolls back to an earlier version. The API cannot publish.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: null,
      object: {
        ...concierge,
        updatedAt: exampleTimes.changed,
        status: "PUBLISHED",
        version: 1,
        hasUnpublishedChanges: false,
        publishedVersion: 1,
        publishedAt: exampleTimes.changed,
      },
      previousAttributes: {
        status: "DRAFT",
        hasUnpublishedChanges: true,
        publishedVersion: null,
        publishedAt: null,
      },
    },
  }),
  "agent.deleted": eventAbout(deletedAgent, {
    description: "An agent that was never published was deleted. The object has only ids.",
    triggers: [
      "`DELETE /agents/{agentId}`, or the dashboard, for an agent that was never published.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: exampleRequest,
      object: { id: concierge.id, environment: "test" },
    },
  }),
};
