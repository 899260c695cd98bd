import { z } from "zod";
import { integer } from "@/lib/platform/schema";
import {
  maximumPerSecond,
  onExhaustedChoices,
  orderings,
  signatureSchemes,
} from "./delivery-options";

const described = {
  maxPerSecond:
    "The maximum number of attempts that start within any second, with tests and resends. Null for no limit. Deliveries that wait use up no attempts.",
  ordering:
    "`conversation` sends the events of a conversation one after another, in the order in which they happened. Conversations do not wait for each other.",
  onExhausted:
    "With `ordering`, what happens to the later events of a conversation after the last attempt of one has failed. `continue` sends them. `hold` holds the failed delivery and makes them wait until it is delivered or discarded.",
  signatureScheme:
    "How `webhook-signature` is made. `hmac`: with the secret (`v1`). `ed25519`: with a private key (`v1a`), so that a receiver needs only the public key. `both`: with both. `X-Service-Signature` is always made with the secret.",
  acceptsReplies:
    'Whether a successful response to `message.received` can contain a reply: `{"reply": {"text": "…"}}` is posted once to the conversation, as a message of its agent.',
};

const ordering = z.enum(orderings).meta({ id: "WebhookOrdering", description: described.ordering });
const onExhausted = z
  .enum(onExhaustedChoices)
  .meta({ id: "WebhookOnExhausted", description: described.onExhausted });
const signatureScheme = z
  .enum(signatureSchemes)
  .meta({ id: "WebhookSignatureScheme", description: described.signatureScheme });

/** How a webhook's deliveries are sent, and what their responses can do. */
export const deliveryOptions = {
  maxPerSecond: z
    .number()
    .int()
    .min(1)
    .max(maximumPerSecond)
    .nullish()
    .meta({ description: described.maxPerSecond, examples: [50] }),
  ordering: ordering.optional(),
  onExhausted: onExhausted.optional(),
  signatureScheme: signatureScheme.optional(),
  acceptsReplies: z.boolean().optional().meta({ description: described.acceptsReplies }),
};

/** The same in a response. */
export const storedDeliveryOptions = {
  maxPerSecond: integer(described.maxPerSecond, { minimum: 1, maximum: maximumPerSecond })
    .nullable()
    .meta({ examples: [null] }),
  ordering,
  onExhausted,
  signatureScheme,
  acceptsReplies: z.boolean().meta({ description: described.acceptsReplies }),
};
