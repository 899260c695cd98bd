import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import type { Metadata } from "@/lib/platform/metadata";
import type { StoredDeliveryOptions } from "@/lib/webhooks/delivery-options";
import type { FilterPreview } from "@/lib/webhooks/filter";
import type { WebhookFilter } from "@/lib/webhooks/filter-schema";

export type WebhookInput = StoredDeliveryOptions & {
  url: string;
  description: string | null;
  events: string[];
  filter: WebhookFilter | null;
  /** New values by name, and null for those to remove. Stored values are not known. */
  headers: Record<string, string | null>;
  metadata: Metadata;
};

/** The only time that the secret itself is shown. */
export type NewSecret = { id: string; url: string; secret: string };

export type CreateWebhook = (
  input: WebhookInput,
) => Promise<ActionResult<NewSecret> | ProofRequest>;
export type UpdateWebhook = (
  input: WebhookInput,
) => Promise<ActionResult<{ id: string }> | ProofRequest>;
export type RotateSecret = (
  overlapSeconds: number,
) => Promise<ActionResult<NewSecret> | ProofRequest>;
/** Compares the newest events with a filter that is not saved yet. */
export type PreviewFilter = (input: {
  events: string[];
  filter: WebhookFilter | null;
}) => Promise<ActionResult<FilterPreview>>;
