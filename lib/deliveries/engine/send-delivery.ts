import { sentFor } from "@/lib/events/record-event";
import { env } from "@/lib/platform/env";
import { logOf } from "@/lib/platform/log";
import {
  type OutboundResult,
  outboundRequest,
} from "@/lib/platform/outbound-http/outbound-request";
import { openSecret, webhookSecretContext } from "@/lib/platform/secret-box";
import type { ClaimedDelivery } from "./claim";
import { deliveryHeaders } from "./delivery-headers";
import { signatureHeader, standardWebhooksHeaders } from "./sign";

const log = logOf("deliveries");

/** The content of a sealed secret never changes, so the opened value is cached. */
function openSecretCached(sealed: string, context: string): string {
  const name = `${context} ${sealed}`;
  const known = openedSecrets.get(name);
  if (known !== undefined) return known;
  const secret = openSecret(sealed, context);
  if (openedSecrets.size >= maximumOpenedSecrets) openedSecrets.clear();
  openedSecrets.set(name, secret);
  return secret;
}

const reported = new Set<string>();

/**
 * The secrets to sign with, newest first. Null if there is none or one cannot be opened, which an
 * operator can fix. Each cause is logged once, because a missing master key affects every delivery.
 */
function openSecrets(
  { sealedSecrets, webhookId }: ClaimedDelivery,
  context: string,
): string[] | null {
  try {
    if (sealedSecrets.length === 0) throw new Error("a webhook has no signing secret");
    return sealedSecrets.map((sealed) => openSecretCached(sealed, context));
  } catch (error) {
    const { message } = error as Error;
    if (!reported.has(message))
      log.error({ error: message, webhook: webhookId }, "deliveries cannot be signed and wait");
    reported.add(message);
    return null;
  }
}

/**
 * Signs and sends one attempt. The bytes that are signed are the bytes that are sent.
 * @param at the time that is signed
 * @returns null if it cannot be signed. Then nothing was sent and no attempt is recorded. The
 * delivery is due again when its lease ends. This repeats until the key is back.
 */
export async function sendDelivery(
  delivery: ClaimedDelivery,
  at: Date,
): Promise<OutboundResult | null> {
  const context = webhookSecretContext(delivery, delivery.webhookId);
  const secrets = openSecrets(delivery, context);
  if (!secrets) return null;

  const timestampSeconds = Math.floor(at.getTime() / 1000);
  const { type: eventType, payload: body } = sentFor(delivery.eventType, delivery.payload);
  return outboundRequest({
    connectionKey: context,
    url: delivery.url,
    headers: deliveryHeaders(
      { ...delivery, eventType },
      {
        signature: signatureHeader({ secrets, timestampSeconds, body }),
        standardWebhooks: standardWebhooksHeaders({
          secrets,
          timestampSeconds,
          body,
          id: delivery.eventId,
        }),
      },
    ),
    body,
  });
}
