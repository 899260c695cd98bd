import type { KeyObject } from "node:crypto";
import { sentFor } from "@/lib/events/record-event";
import { env } from "@/lib/platform/env";
import { logOf } from "@/lib/platform/log";
import {
  type HeaderList,
  type OutboundResult,
  outboundRequest,
} from "@/lib/platform/outbound-http/outbound-request";
import { openSecret, webhookHeadersContext, webhookSecretContext } from "@/lib/platform/secret-box";
import { splitSecret } from "@/lib/webhooks/key-pair";
import { endAttemptSpan, startAttemptSpan } from "./attempt-span";
import type { ClaimedDelivery } from "./claim";
import { deliveryHeaders } from "./delivery-headers";
import { maximumReplyBytes } from "./reply";
import { readPrivateKey, signatureHeader, standardWebhooksHeaders } from "./sign";

const log = logOf("deliveries");

const maximumOpened = 10_000;
const opened = new Map<string, { sealed: string; content: unknown }>();

/** What was read last in this context is cached, because a sealed text always has the same content. */
function openCached<Content>(
  sealed: string,
  context: string,
  read: (sealed: string, context: string) => Content,
): Content {
  const known = opened.get(context);
  if (known?.sealed === sealed) return known.content as Content;
  const content = read(sealed, context);
  if (opened.size >= maximumOpened) opened.clear();
  opened.set(context, { sealed, content });
  return content;
}

function readKeys(sealedSecrets: string, context: string) {
  const keys = sealedSecrets.split(" ").map((sealed) => splitSecret(openSecret(sealed, context)));
  return {
    secrets: keys.map(({ secret }) => secret),
    privateKeys: keys.flatMap(({ privateKey }) =>
      privateKey === null ? [] : [readPrivateKey(privateKey)],
    ),
  };
}

const readHeaders = (sealed: string, context: string): HeaderList =>
  Object.entries<string>(JSON.parse(openSecret(sealed, context))).flat();
const noHeaders: HeaderList = [];

const reported = new Set<string>();

/**
 * The keys to sign with, newest first, and the webhook's own headers. Null if the secret is missing
 * or a sealed value cannot be opened, which an operator can fix. Each cause is logged once, because
 * a missing master key affects every delivery.
 */
function openSealed(
  delivery: ClaimedDelivery,
  context: string,
): {
  secrets: string[];
  privateKeys: KeyObject[];
  customHeaders: HeaderList;
} | null {
  const { sealedSecrets, sealedHeaders, webhookId } = delivery;
  try {
    if (sealedSecrets === "") throw new Error("a webhook has no signing secret");
    const { secrets, privateKeys } = openCached(sealedSecrets, context, readKeys);
    return {
      secrets,
      privateKeys,
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
  const span = startAttemptSpan(delivery);
  const sent = outboundRequest({
    connectionKey: context,
    url: delivery.url,
    headers: deliveryHeaders(delivery, {
      eventType,
      signature: signatureHeader({ secrets, timestampSeconds, body }),
      standardWebhooks: standardWebhooksHeaders({
        secrets: delivery.signatureScheme === "ed25519" ? [] : secrets,
        privateKeys,
        timestampSeconds,
        body,
        id: delivery.eventId,
      }),
      customHeaders,
      traceparent: env().WEBHOOK_TRACEPARENT ? span?.traceparent : undefined,
    }),
    body,
    ...(delivery.acceptsReplies && { maximumBytes: maximumReplyBytes }),
  });
  if (span) void sent.then((result) => endAttemptSpan(span, result));
  return sent;
}
