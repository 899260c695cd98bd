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
): {
  secrets: string[];
  privateKeys: KeyObject[];
  customHeaders: Record<string, string>;
} | null {
  const { sealedSecrets, sealedHeaders, webhookId } = delivery;
  try {
    if (sealedSecrets.length === 0) throw new Error("a webhook has no signing secret");
    const keys = sealedSecrets.map((sealed) => openCached(sealed, context, readKeys));
    return {
      secrets: keys.map(({ secret }) => secret),
      privateKeys: keys.flatMap(({ privateKeys }) => privateKeys),
      customHeaders: sealedHeaders
        ? openCached(sealedHeaders, webhookHeadersContext(delivery, webhookId), readHeaders)
        : noHeaders,
    };
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
  const sealed = openSealed(delivery, context);
  if (!sealed) return null;
  const { secrets, privateKeys, customHeaders } = sealed;

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
        customHeaders,
        traceparent: env().WEBHOOK_TRACEPARENT ? span?.traceparent : undefined,
      },
    ),
    body,
  });
}
