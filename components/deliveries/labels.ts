import type { BadgeVariant } from "@/components/ui/badge";
import type { ReplyProblem } from "@/lib/deliveries/reply-problems";
import type { AttemptReply, ResponseClass } from "@/lib/deliveries/schema";
import type { OutboundErrorCode } from "@/lib/platform/outbound-http/outbound-request";
import type { AttemptTrigger, DeliveryStatus } from "@/prisma/generated/enums";

export const deliveryBadges: Record<DeliveryStatus, { label: string; variant: BadgeVariant }> = {
  PENDING: { label: "Pending", variant: "accent" },
  DELIVERED: { label: "Delivered", variant: "good" },
  FAILED: { label: "Failed", variant: "danger" },
  HELD: { label: "Held", variant: "warn" },
  DISCARDED: { label: "Discarded", variant: "plain" },
};

const retrying: { label: string; variant: BadgeVariant } = { label: "Retrying", variant: "warn" };

/**
 * A delivery's status in a word. A pending delivery that has failed before is labeled differently
 * from a new one.
 */
export function deliveryBadge({
  status,
  attemptCount,
}: {
  status: DeliveryStatus;
  attemptCount: number;
}) {
  return status === "PENDING" && attemptCount > 0 ? retrying : deliveryBadges[status];
}

export const responseLabels: Record<ResponseClass, string> = {
  "2xx": "2xx, success",
  "3xx": "3xx, redirect",
  "4xx": "4xx, rejected",
  "5xx": "5xx, receiver failed",
  none: "No response",
};

export const triggerLabels: Record<AttemptTrigger, string | null> = {
  AUTOMATIC: null,
  MANUAL: "Resend",
  TEST: "Test",
};

/** Why an attempt has no response. The last one never left the service. */
type AttemptErrorCode = OutboundErrorCode | "secret_unavailable";

const errors: Record<AttemptErrorCode, { label: string; sentence: string }> = {
  timeout: {
    label: "Timeout",
    sentence: "The receiver did not send a complete response within 10 seconds.",
  },
  blocked_address: {
    label: "Address not allowed",
    sentence: "The URL resolves to a private or reserved network. Nothing was sent.",
  },
  dns_error: { label: "Name not found", sentence: "The DNS lookup of the host failed." },
  tls_error: {
    label: "TLS failed",
    sentence:
      "The secure connection failed: the certificate is invalid, or not valid for this host.",
  },
  connection_refused: {
    label: "Connection refused",
    sentence: "Nothing listens at this address and port.",
  },
  connection_reset: {
    label: "Connection closed",
    sentence: "The receiver closed the connection before sending a response.",
  },
  connection_error: {
    label: "Not reachable",
    sentence: "The connection to this address failed.",
  },
  invalid_response: {
    label: "Not an HTTP response",
    sentence: "The receiver did not respond with HTTP.",
  },
  invalid_url: { label: "Invalid URL", sentence: "The webhook's URL cannot be requested." },
  secret_unavailable: {
    label: "Not sent",
    sentence:
      "Nothing was sent, because the service could not sign it. This is not the receiver's fault and does not count as a failure.",
  },
};

/** A code that was added to the service later may have no label here yet. */
export const describeAttemptError = (code: string) =>
  errors[code as AttemptErrorCode] ?? { label: code, sentence: `There was no response (${code}).` };

/** Explanations of the statuses that are not obvious. */
export function explainStatusCode(statusCode: number): string | null {
  if (statusCode === 410)
    return "The receiver says that it is permanently gone. This disables the webhook.";
  if (statusCode === 429 || statusCode === 503)
    return "The receiver is busy. A Retry-After header in its response delays the next attempt.";
  if (statusCode >= 300 && statusCode < 400)
    return "Redirects are not followed. Give the webhook its final address.";
  if (statusCode === 401 || statusCode === 403)
    return "The receiver rejected the request. Check that it verifies with this webhook's secret.";
  return null;
}

const replyProblems: Record<ReplyProblem, string> = {
  invalid_json: "The reply was not posted: the response is not valid JSON.",
  invalid_reply:
    "The reply was not posted: it must be an object with a text of 1 to 10,000 characters, and nothing else.",
  too_long:
    "The reply was not posted: the text has more than 10,000 characters, or the response more than 64 KiB.",
  conversation_closed: "The reply was not posted: the conversation is closed.",
  conversation_deleted: "The reply was not posted: the conversation was deleted.",
  message_redacted: "The reply was not posted: the message that it replies to was redacted.",
  already_replied: "The reply was not posted: an earlier attempt posted the reply to this event.",
};

/** What became of the reply in a response. */
export const describeReply = ({ problem }: AttemptReply): string =>
  problem ? replyProblems[problem] : "The response contained a reply, which was posted.";
