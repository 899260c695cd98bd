import { z } from "zod";
import { eventPatterns } from "@/lib/events/catalogue";
import { deleted, distinct, environment, idOf, idParameter, listQuery, metadata, metadataPatch, pageOf, timestamp } from "@/lib/schema";

const url = z.string().min(1).max(2_048);
const description = z.string().max(500);
const events = distinct(
  z
    .array(
      z
        .string()
        .refine((name) => eventPatterns.includes(name), "must be an event type from the catalogue, a family such as conversation.*, or *"),
    )
    .min(1, "choose at least one")
    .max(eventPatterns.length),
).meta({ examples: [["conversation.created", "message.*"]] });

export const createWebhookBody = z.strictObject({
  url: url.meta({ examples: ["https://example.com/parlance"] }),
  description: description.nullish(),
  events,
  metadata: metadata.default({}),
});

export const updateWebhookBody = z.strictObject({
  url: url.optional(),
  description: description.nullish(),
  events: events.optional(),
  status: z.enum(["ENABLED", "DISABLED"]).optional().meta({ description: "`ENABLED` sets the count of failures to 0." }),
  metadata: metadataPatch.optional(),
});

export const webhook = z
  .object({
    id: idOf("webhook"),
    environment,
    url: z.string(),
    description: z.string().nullable(),
    events: z.array(z.string()),
    status: z.enum(["ENABLED", "DISABLED"]),
    disabledReason: z.enum(["MANUAL", "CONSECUTIVE_FAILURES", "GONE", "UNCONFIRMED"]).nullable(),
    disabledAt: timestamp.nullable(),
    consecutiveFailures: z.number().int(),
    lastSuccessAt: timestamp.nullable(),
    lastFailureAt: timestamp.nullable(),
    secretHint: z.string(),
    previousSecretExpiresAt: timestamp.nullable().meta({ description: "Until then the secret before this one signs too." }),
    metadata,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Webhook" });

export const webhookWithSecret = webhook
  .extend({ secret: z.string().meta({ description: "Shown this once.", examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }) })
  .meta({ id: "WebhookWithSecret" });

export const rotateSecretBody = z.strictObject({
  overlapSeconds: z
    .number()
    .int()
    .min(0)
    .max(86_400)
    .default(86_400)
    .meta({ description: "How long the secret before this one signs too. 0 drops every older secret at once.", examples: [3_600] }),
});

export const webhookPage = pageOf(webhook);
export const deletedWebhook = deleted("webhook");
export const webhookParams = z.object({ webhookId: idParameter("webhook") });
export const listWebhooksQuery = listQuery("webhook", "desc", {});

export type CreateWebhook = z.output<typeof createWebhookBody>;
export type UpdateWebhook = z.output<typeof updateWebhookBody>;
export type RotateSecret = z.output<typeof rotateSecretBody>;
export type Webhook = z.input<typeof webhook>;
export type ListWebhooks = z.output<typeof listWebhooksQuery>;
