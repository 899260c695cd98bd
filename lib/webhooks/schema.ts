import { z } from "zod";
import { eventPatterns } from "@/lib/events/event-types";
import { metadata, metadataPatch } from "@/lib/platform/metadata";
import {
  createdAt,
  distinct,
  environment,
  integer,
  storedText,
  timestamp,
  updatedAt,
} from "@/lib/platform/schema";
import { deleted, idOf, idParameter } from "@/lib/resources/id-schema";
import { listQuery, pageOf } from "@/lib/resources/pages";
import { deliveryOptions, storedDeliveryOptions } from "./delivery-options-schema";
import { filter, filterInput } from "./filter-schema";
import { headerNames, headersInput, headersPatch } from "./headers-schema";

const described = {
  url: "Where events are sent: https, or http in test. Private addresses are refused.",
  description: "What the webhook is for.",
  events: "Names from the event catalog, a family such as `conversation.*`, or `*` for all.",
};
const url = z
  .string()
  .min(1)
  .max(2_048)
  .meta({ description: described.url, examples: ["https://example.com/parlance"] });
const description = z.string().max(500).meta({ description: described.description });
const status = z.enum(["ENABLED", "DISABLED"]).meta({
  id: "WebhookStatus",
  description: "A `DISABLED` webhook is sent nothing; its deliveries are held.",
});
const disabledReason = z.enum(["MANUAL", "CONSECUTIVE_FAILURES", "GONE", "UNCONFIRMED"]).meta({
  id: "WebhookDisabledReason",
  description:
    "`MANUAL` by a member or the API, `CONSECUTIVE_FAILURES` after 100 failures in a row, `GONE` after a 410 response, `UNCONFIRMED` until the owner of a newly verified address confirms it.",
});
const events = distinct(
  z
    .array(
      z
        .string()
        .max(60)
        .refine(
          (name) => eventPatterns.includes(name),
          "must be an event type from the catalog, a family such as conversation.*, or *",
        ),
    )
    .min(1, "must have at least one event")
    .max(eventPatterns.length),
).meta({ description: described.events, examples: [["conversation.created", "message.*"]] });

export const createWebhookBody = z.strictObject({
  url,
  description: description.nullish(),
  events,
  filter: filterInput.nullish(),
  headers: headersInput.optional(),
  ...deliveryOptions,
  metadata: metadata.default({}),
});

export const updateWebhookBody = z.strictObject({
  url: url.optional(),
  description: description.nullish(),
  events: events.optional(),
  filter: filterInput.nullish(),
  headers: headersPatch.nullish(),
  status: status
    .optional()
    .meta({ description: "`ENABLED` resets the count of consecutive failures." }),
  ...deliveryOptions,
  metadata: metadataPatch.optional(),
});

export const webhook = z
  .object({
    id: idOf("webhook"),
    environment,
    url: storedText(2_048, described.url),
    description: storedText(500, described.description).nullable(),
    events: z
      .array(storedText(60, "An event, a family, or `*`."))
      .meta({ description: described.events, maxItems: eventPatterns.length }),
    filter: filter
      .nullable()
      .meta({ description: "Which conversations' events are sent, or null for all of them." }),
    headerNames,
    ...storedDeliveryOptions,
    status,
    disabledReason: disabledReason
      .nullable()
      .meta({ description: "Why it is disabled, or null if it is enabled." }),
    disabledAt: timestamp
      .nullable()
      .meta({ description: "When it became `DISABLED`; null while it is enabled." }),
    consecutiveFailures: integer(
      "Automatic attempts that failed since the last success. At 100 the webhook is disabled.",
    ),
    lastSuccessAt: timestamp.nullable().meta({ description: "When an attempt last succeeded." }),
    lastFailureAt: timestamp.nullable().meta({ description: "When an attempt last failed." }),
    secretHint: storedText(20, "The last characters of the signing secret."),
    previousSecretExpiresAt: timestamp
      .nullable()
      .meta({ description: "When the previous secret stops signing." }),
    publicKeys: z
      .array(
        z.string().meta({
          description: "A public key: `whpk_` and base64.",
          maxLength: 60,
          examples: ["whpk_7CvTuFuW0V7hD2YQm4Zf0Wn3sQnO5m1VtqkGx0r3y2A="],
        }),
      )
      .meta({
        description:
          "The keys that verify `v1a` signatures, newest first: two during a rotation, none with `hmac`. Also at `/.well-known/webhook-keys/{webhookId}`, as a JSON Web Key Set.",
        maxItems: 2,
      }),
    metadata,
    createdAt,
    updatedAt,
  })
  .meta({ id: "Webhook", description: "A receiver of events." });

export const webhookWithSecret = webhook
  .extend({
    secret: z.string().meta({
      description: "The signing secret. Shown only once.",
      maxLength: 60,
      examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    }),
  })
  .meta({ id: "WebhookWithSecret", description: "A receiver of events, with its signing secret." });

export const rotateSecretBody = z.strictObject({
  overlapSeconds: z
    .number()
    .int()
    .min(0)
    .max(86_400)
    .default(86_400)
    .meta({
      description:
        "How long the previous secret also signs, in seconds. 0 ends every older secret immediately.",
      examples: [3_600],
    }),
});

export const webhookPage = pageOf(webhook);
export const deletedWebhook = deleted("webhook");
export const webhookParams = z.object({ webhookId: idParameter("webhook") });
export const listWebhooksQuery = listQuery("webhook", "desc", {});
/** The dashboard's list. */
export const sortWebhooksQuery = listWebhooksQuery.extend({
  sort: z.enum(["url", "status", "consecutiveFailures"]).optional(),
});

export type CreateWebhook = z.output<typeof createWebhookBody>;
export type UpdateWebhook = z.output<typeof updateWebhookBody>;
export type RotateSecret = z.output<typeof rotateSecretBody>;
export type Webhook = z.input<typeof webhook>;
export type SortWebhooks = z.output<typeof sortWebhooksQuery>;
export type ListWebhooks = z.output<typeof listWebhooksQuery>;
