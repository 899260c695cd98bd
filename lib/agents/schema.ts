import { z } from "zod";
import { metadata, metadataPatch } from "@/lib/platform/metadata";
import {
  createdAt,
  distinct,
  environment,
  integer,
  nameText,
  storedText,
  timestamp,
  updatedAt,
} from "@/lib/platform/schema";
import { idOf, idParameter, reference } from "@/lib/resources/id-schema";
import { limitParameter, listQuery, pageOf } from "@/lib/resources/pages";
import type { AgentStatus } from "@/prisma/generated/enums";

export const maximumKnowledgeBases = 20;

const described = {
  name: "The agent's name.",
  description: "What the agent is for.",
  model: "The model that your program asks, by any name of your own. Parlance runs no model.",
  instructions: "What your program tells the model.",
  greeting: "What your program says first.",
  temperature: "How much the model varies its replies.",
  knowledgeBaseIds:
    "The knowledge bases your program searches for this agent, in the same environment.",
};

const name = nameText(100).meta({ description: described.name });
const model = nameText(100);
const knowledgeBaseIds = distinct(
  z.array(reference("knowledgeBase")).max(maximumKnowledgeBases),
).meta({
  description: described.knowledgeBaseIds,
});

const fields = {
  description: z.string().max(500).nullish().meta({ description: described.description }),
  model: model.nullish().meta({ description: described.model, examples: ["small-1"] }),
  instructions: z.string().max(32_000).nullish().meta({ description: described.instructions }),
  greeting: z.string().max(1_000).nullish().meta({ description: described.greeting }),
  temperature: z.number().min(0).max(2).nullish().meta({ description: described.temperature }),
};

export const createAgentBody = z.strictObject({
  name,
  ...fields,
  knowledgeBaseIds: knowledgeBaseIds.default([]),
  metadata: metadata.default({}),
});

export const updateAgentBody = z.strictObject({
  name: name.optional(),
  ...fields,
  knowledgeBaseIds: knowledgeBaseIds.optional(),
  metadata: metadataPatch.optional(),
});

export const agentStatuses = ["DRAFT", "PUBLISHED", "ARCHIVED"] as const satisfies AgentStatus[];

const status = z.enum(agentStatuses).meta({
  id: "AgentStatus",
  description:
    "`DRAFT` until a member publishes the agent in the dashboard. Never changed through the API.",
});

/** What a version stores: every field of the draft that a member or the API can write. */
export const agentContent = z.object({
  name: storedText(100, described.name),
  description: storedText(500, described.description).nullable(),
  model: storedText(100, described.model).nullable(),
  instructions: storedText(32_000, described.instructions).nullable(),
  greeting: storedText(1_000, described.greeting).nullable(),
  temperature: z.number().nullable().meta({ description: described.temperature }),
  knowledgeBaseIds: z
    .array(idOf("knowledgeBase"))
    .meta({ description: described.knowledgeBaseIds, maxItems: maximumKnowledgeBases }),
  metadata,
});

export const agent = z
  .object({
    id: idOf("agent"),
    environment,
    status,
    ...agentContent.shape,
    version: integer("The number of the version that this shows, or null for the draft.", {
      minimum: 1,
    }).nullable(),
    hasUnpublishedChanges: z.boolean().meta({
      description: "Whether the draft differs from the published version.",
    }),
    publishedVersion: integer("The number of the published version.", { minimum: 1 }).nullable(),
    publishedAt: timestamp.nullable().meta({ description: "When that version was published." }),
    createdAt,
    updatedAt,
  })
  .meta({
    id: "Agent",
    description:
      "A configuration for your program: instructions, the name of a model, knowledge bases. Shows its draft, or the version in `version`.",
  });

/** The object of `agent.deleted`. */
export const deletedAgent = z
  .object({ id: idOf("agent"), environment })
  .meta({ description: "The id of the agent." });

export const agentVersion = z
  .object({
    version: integer("The number of the version, from 1.", { minimum: 1 }),
    publishedAt: timestamp.meta({ description: "When it was published." }),
    publishedById: idOf("user")
      .nullable()
      .meta({ description: "The member who published it. Null if no member did." }),
    restoredVersion: integer("The earlier version that a rollback restored as this one.", {
      minimum: 1,
    }).nullable(),
  })
  .meta({
    id: "AgentVersion",
    description:
      "A published version of an agent. `GET /agents/{agentId}?version=` shows its content.",
  });

export const agentVersionPage = pageOf(agentVersion).extend({
  nextCursor: z.string().optional().meta({
    description: "The number of the last version. Present only when more pages exist.",
    maxLength: 9,
  }),
});

export const agentPage = pageOf(agent);
export const agentParams = z.object({ agentId: idParameter("agent") });
export const listAgentsQuery = listQuery("agent", "desc", {});

const draft = "draft";
const published = "published";

export const getAgentQuery = z.strictObject({
  version: z
    .string()
    .regex(
      /^(?:draft|published|[1-9][0-9]{0,8})$/,
      "must be `draft`, `published` or the number of a version",
    )
    .default(draft)
    .transform((text) => (text === draft || text === published ? text : Number(text)))
    .meta({
      description:
        "What to show: the `draft`, the `published` version, or the version with this number.",
      maxLength: 9,
      pattern: "^(draft|published|[1-9][0-9]{0,8})$",
      default: draft,
      examples: [published],
    }),
});

export const copyAgentBody = z.strictObject({
  agentId: reference("agent").meta({ description: "The id of an agent in test." }),
  version: getAgentQuery.shape.version,
});
/** The dashboard's list; the API's has no filters. */
export const findAgentsQuery = listAgentsQuery.extend({
  status: z.enum(agentStatuses).optional(),
  sort: z.enum(["name", "status", "publishedAt", "updatedAt"]).optional(),
});

export type FindAgents = z.output<typeof findAgentsQuery>;

/** The number of a version, in a URL. */
export const versionNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, "must be the number of a version")
  .transform(Number);

const versionsAPage = 20;

const versionCursor = z
  .string()
  .refine((text) => versionNumber.safeParse(text).success, {
    params: { kind: "invalid-cursor" },
    message: "must be a `nextCursor` of this list",
  })
  .transform(Number)
  .meta({
    description: "`nextCursor` of the previous page.",
    pattern: "^[1-9][0-9]{0,8}$",
    maxLength: 9,
  });

/** The API's list. */
export const listVersionsQuery = z.strictObject({
  cursor: versionCursor.optional(),
  limit: limitParameter("Items per page", 100, versionsAPage),
});

export const listAgentVersionsQuery = z
  .strictObject({ cursor: versionNumber.optional() })
  .transform((page) => ({ ...page, limit: versionsAPage }));

export type CreateAgent = z.output<typeof createAgentBody>;
export type CopyAgent = z.output<typeof copyAgentBody>;
export type UpdateAgent = z.output<typeof updateAgentBody>;
export type AgentContent = z.output<typeof agentContent>;
export type Agent = z.input<typeof agent>;
export type ShownVersion = z.output<typeof getAgentQuery>["version"];
export type ListAgents = z.output<typeof listAgentsQuery>;
export type ListAgentVersions = { cursor?: number | undefined; limit: number };
