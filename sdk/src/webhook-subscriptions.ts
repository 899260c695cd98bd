import type { Caller } from "./call";
import type {
  CreateWebhookBody,
  ListWebhookDeliveriesQuery,
  ListWebhooksQuery,
  RecoverWebhookDeliveriesBody,
  RotateWebhookSecretBody,
  UpdateWebhookBody,
} from "./generated/types";
import type { RequestOptions } from "./transport";

export const webhooksOf = ({ call, list }: Caller) => ({
  /** Newest first. */
  list: (query?: ListWebhooksQuery, options?: RequestOptions) =>
    list("GET /webhooks", { query }, options),

  /** The answer holds the signing secret, this once. */
  create: (body: CreateWebhookBody, options?: RequestOptions) =>
    call("POST /webhooks", { body }, options),

  get: (webhookId: string, options?: RequestOptions) =>
    call("GET /webhooks/{webhookId}", { path: { webhookId } }, options),

  /** `status: "ENABLED"` enables it again and sets the count of failures to 0. */
  update: (webhookId: string, body: UpdateWebhookBody, options?: RequestOptions) =>
    call("PATCH /webhooks/{webhookId}", { path: { webhookId }, body }, options),

  /** With its deliveries. */
  delete: (webhookId: string, options?: RequestOptions) =>
    call("DELETE /webhooks/{webhookId}", { path: { webhookId } }, options),

  /**
   * The answer holds the new secret, this once. The one before it signs as well for 24 hours, or
   * for `overlapSeconds`.
   * @throws RotationInProgressError during that time, unless `overlapSeconds` is 0, which drops
   * every older secret at once
   */
  rotateSecret: (webhookId: string, body: RotateWebhookSecretBody = {}, options?: RequestOptions) =>
    call("POST /webhooks/{webhookId}/rotate-secret", { path: { webhookId }, body }, options),

  /** Sends `webhook.test`, once. Get the delivery to see what came of it. */
  test: (webhookId: string, options?: RequestOptions) =>
    call("POST /webhooks/{webhookId}/test", { path: { webhookId } }, options),

  /** Sends again what failed or was held since a time; with `dryRun` it only counts. */
  recover: (webhookId: string, body: RecoverWebhookDeliveriesBody, options?: RequestOptions) =>
    call("POST /webhooks/{webhookId}/recover", { path: { webhookId }, body }, options),

  deliveries: {
    /** Newest first. */
    list: (webhookId: string, query?: ListWebhookDeliveriesQuery, options?: RequestOptions) =>
      list("GET /webhooks/{webhookId}/deliveries", { path: { webhookId }, query }, options),

    /** With its attempts. */
    get: (webhookId: string, deliveryId: string, options?: RequestOptions) =>
      call(
        "GET /webhooks/{webhookId}/deliveries/{deliveryId}",
        { path: { webhookId, deliveryId } },
        options,
      ),

    /** The same event once more, freshly signed. */
    resend: (webhookId: string, deliveryId: string, options?: RequestOptions) =>
      call(
        "POST /webhooks/{webhookId}/deliveries/{deliveryId}/resend",
        { path: { webhookId, deliveryId } },
        options,
      ),
  },
});
