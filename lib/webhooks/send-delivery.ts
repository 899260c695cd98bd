import type { ClaimedDelivery } from "@/lib/webhooks/claim";
import { type OutboundResult, outboundRequest } from "@/lib/webhooks/outbound-request";
import { openSecret, webhookSecretContext } from "@/lib/webhooks/secret-box";
import { signatureHeader, standardWebhooksHeaders } from "@/lib/webhooks/sign";

const maximumOpenSecrets = 10_000;
const openSecrets = new Map<string, string>();

/** What a sealed secret holds never changes, so it is opened once. */
function openSecretOnce(sealed: string, context: string): string {
  const name = `${context} ${sealed}`;
  const known = openSecrets.get(name);
  if (known !== undefined) return known;
  const secret = openSecret(sealed, context);
  if (openSecrets.size >= maximumOpenSecrets) openSecrets.clear();
  openSecrets.set(name, secret);
  return secret;
}

/**
 * Signs and sends one attempt. The bytes that are signed are the bytes that are sent.
 * @param at the time that is signed
 * @throws Error where no secret can be opened: nothing goes out unsigned.
 */
export function sendDelivery(delivery: ClaimedDelivery, at: Date): Promise<OutboundResult> {
  const context = webhookSecretContext(delivery, delivery.webhookId);
  const secrets = delivery.sealedSecrets.map((sealed) => openSecretOnce(sealed, context));
  if (secrets.length === 0) throw new Error("the webhook has no signing secret");

  const timestampSeconds = Math.floor(at.getTime() / 1000);
  const body = delivery.payload;
  return outboundRequest({
    connectionKey: context,
    url: delivery.url,
    headers: {
      "content-type": "application/json",
      "x-service-signature": signatureHeader({ secrets, timestampSeconds, body }),
      "x-service-event-id": delivery.eventId,
      "x-service-event-type": delivery.eventType,
      "x-service-delivery-id": delivery.id,
      "x-service-attempt": String(delivery.attemptNumber),
      ...standardWebhooksHeaders({ secrets, timestampSeconds, body, id: delivery.eventId }),
    },
    body,
  });
}
