import type { Caller } from "./call";
import type {
  CreateWebhookBody,
  ListWebhookDeliveriesQuery,
  ListWebhooksQuery,
  RecoverWebhookDeliveriesBody,
  ReplayWebhookBody,
  RotateWebhookSecretBody,
  TestWebhookBody,
  UpdateWebhookBody,
} from "./generated/types";
import type { RequestOptions } from "./transport";

export const webhooksOf = ({ call, list }: Caller) => ({
  /** Newest first. */
  list: (query?: ListWebhooksQuery, options?: RequestOptions) =>
    list("GET /webhooks", { query }, options),

  /** The response contains the signing secret, which is shown only once. */
  create: (body: CreateWebhookBody, options?: RequestOptions) =>
    call("POST /webhooks", { body }, options),

  get: (webhookId: string, options?: RequestOptions) =>
    call("GET /webhooks/{webhookId}", { path: { webhookId } }, options),

  /** `status: "ENABLED"` enables it again and resets the failure count to 0. */
  update: (webhookId: string, body: UpdateWebhookBody, options?: RequestOptions) =>
    call("PATCH /webhooks/{webhookId}", { path: { webhookId }, body }, options),

  /** Also deletes its deliveries. */
  delete: (webhookId: string, options?: RequestOptions) =>
    call("DELETE /webhooks/{webhookId}", { path: { webhookId } }, options),

  /**
   * The response contains the new secret, which is shown only once. The previous one also signs for
   * 24 hours, or for `overlapSeconds`.
   * @throws RotationInProgressError during that time, unless `overlapSeconds` is 0, which ends
   * every older secret immediately
   */
  rotateSecret: (webhookId: string, body: RotateWebhookSecretBody = {}, options?: RequestOptions) =>
    call("POST /webhooks/{webhookId}/rotate-secret", { path: { webhookId }, body }, options),

  /**
   * Sends `webhook.test` once, or the example of another `type`. Get the delivery to see the result.
   */
  test: (webhookId: string, body: TestWebhookBody = {}, options?: RequestOptions) =>
    call("POST /webhooks/{webhookId}/test", { path: { webhookId }, body }, options),

  /**
   * Resends the deliveries that failed or were held since a time. With `dryRun`, only counts them.
   */
  recover: (webhookId: string, body: RecoverWebhookDeliveriesBody, options?: RequestOptions) =>
    call("POST /webhooks/{webhookId}/recover", { path: { webhookId }, body }, options),

  /**
   * Sends the events of a period, also those that were delivered or are older than the webhook.
   * With `dryRun`, only counts them.
   * @throws LimitReachedError while another replay of the webhook is in progress
   */
  replay: (webhookId: string, body: ReplayWebhookBody, options?: RequestOptions) =>
    call("POST /webhooks/{webhookId}/replay", { path: { webhookId }, body }, options),

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

    /** Sends the same event again, with a new signature. */
    resend: (webhookId: string, deliveryId: string, options?: RequestOptions) =>
      call(
        "POST /webhooks/{webhookId}/deliveries/{deliveryId}/resend",
        { path: { webhookId, deliveryId } },
        options,
      ),
  },
});
