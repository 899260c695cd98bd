import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import type { Metadata } from "@/lib/platform/metadata";

export type WebhookInput = {
  url: string;
  description: string | null;
  events: string[];
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
