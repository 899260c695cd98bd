import { z } from "zod";
import {
  distinct,
  environment,
  idOf,
  idParameter,
  listQuery,
  metadata,
  metadataPatch,
  nameText,
  pageOf,
  reference,
  timestamp,
} from "@/lib/schema";
import type { AgentStatus } from "@/prisma/generated/enums";

export const maximumKnowledgeBases = 20;

const name = nameText(100);
const model = nameText(100);
const knowledgeBaseIds = distinct(z.array(reference("knowledgeBase")).max(maximumKnowledgeBases)).meta({
  description: "The knowledge bases your program searches for this agent, in the same environment.",
});

const fields = {
  description: z.string().max(500).nullish(),
  model: model
    .nullish()
    .meta({ description: "The model that your program is to ask, by any name of yours. Parlance runs no model.", examples: ["small-1"] }),
  instructions: z.string().max(32_000).nullish().meta({ description: "What your program tells the model." }),
  greeting: z.string().max(1_000).nullish().meta({ description: "What your program says first." }),
  temperature: z.number().min(0).max(2).nullish(),
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

/** What a version keeps: all of the draft that a person or the API can write. */
export const agentContent = z.object({
  name: z.string(),
  description: z.string().nullable(),
  model: z.string().nullable(),
  instructions: z.string().nullable(),
  greeting: z.string().nullable(),
  temperature: z.number().nullable(),
  knowledgeBaseIds: z.array(z.string()),
  metadata,
});

export const agent = z
  .object({
    id: idOf("agent"),
    environment,
    status: z
      .enum(agentStatuses)
      .meta({ description: "`DRAFT` until a person publishes the agent in the dashboard. Never changed through the API." }),
    ...agentContent.shape,
    hasUnpublishedChanges: z
      .boolean()
      .meta({ description: "Whether the draft, which is what this shows, differs from the published version." }),
    publishedVersion: z.number().int().nullable(),
    publishedAt: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Agent" });

export const agentPage = pageOf(agent);
export const agentParams = z.object({ agentId: idParameter("agent") });
export const listAgentsQuery = listQuery("agent", "desc", {});
/** The dashboard's list; the API's has no filters. */
export const findAgentsQuery = listAgentsQuery.extend({ status: z.enum(agentStatuses).optional() });

/** The number of a version, as a text in an address. */
export const versionNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, "is no version's number")
  .transform(Number);

const versionsAPage = 20;

export const listAgentVersionsQuery = z
  .strictObject({ cursor: versionNumber.optional() })
  .transform((page) => ({ ...page, limit: versionsAPage }));

export type CreateAgent = z.output<typeof createAgentBody>;
export type UpdateAgent = z.output<typeof updateAgentBody>;
export type AgentContent = z.output<typeof agentContent>;
export type Agent = z.input<typeof agent>;
export type ListAgents = z.output<typeof listAgentsQuery>;
export type ListAgentVersions = { cursor?: number | undefined; limit: number };
