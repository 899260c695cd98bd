import type { Caller } from "./call";
import type { CreateWebhookBody, ListWebhooksQuery, UpdateWebhookBody } from "./generated/types";
import type { RequestOptions } from "./transport";

export const webhooksOf = ({ call, list }: Caller) => ({
  /** Newest first. */
  list: (query?: ListWebhooksQuery, options?: RequestOptions) => list("GET /webhooks", { query }, options),

  /** The answer holds the signing secret, this once. */
  create: (body: CreateWebhookBody, options?: RequestOptions) => call("POST /webhooks", { body }, options),

  get: (webhookId: string, options?: RequestOptions) => call("GET /webhooks/{webhookId}", { path: { webhookId } }, options),

  /** `status: "ENABLED"` enables it again and sets the count of failures to 0. */
  update: (webhookId: string, body: UpdateWebhookBody, options?: RequestOptions) =>
    call("PATCH /webhooks/{webhookId}", { path: { webhookId }, body }, options),

  delete: (webhookId: string, options?: RequestOptions) => call("DELETE /webhooks/{webhookId}", { path: { webhookId } }, options),
});
