import { z } from "zod";
import { newMessage, previewOf } from "@/lib/conversations/message";
import { messageText } from "@/lib/conversations/message-schema";
import { cutEvent, withPlaceholders } from "@/lib/conversations/message-text";
import type { EventType } from "@/lib/events/event-types";
import { eventValues, newEvent } from "@/lib/events/record-event";
import { system } from "@/lib/platform/caller";
import { idTimeMs } from "@/lib/resources/ids";
import type { ReplyProblem } from "../reply-problems";
import type { ClaimedDelivery } from "./claim";

/** The only event that a receiver can reply to. A reply raises another one, so replies never loop. */
export const repliedEvent = "message.received" satisfies EventType;

/**
 * Room for the longest text in UTF-8, and also with every character as an escape, unless most of them
 * are beyond U+FFFF and take two.
 */
export const maximumReplyBytes = 64 * 1024;

const reply = z.strictObject({ text: messageText });

export type Reply = { text: string } | { problem: ReplyProblem };

/**
 * The reply in a response's body, or null if the body is not a JSON object with a `reply`.
 * @param isBroken whether some of its bytes were not UTF-8, and were replaced
 */
export function parseReply(body: string, isBroken = false): Reply | null {
  // Also without a byte order mark, which some servers send.
  const json = body.trimStart();
  if (!json.startsWith("{")) return null;
  const sent = parseJson(json);
  if (sent === undefined) {
    const isCut = Buffer.byteLength(body) >= maximumReplyBytes;
    return { problem: isCut ? "too_long" : "invalid_json" };
  }
  if (sent.reply === undefined || sent.reply === null) return null;
  // JSON is UTF-8, and a customer must not get a text that nobody wrote.
  if (isBroken) return { problem: "invalid_json" };
  const { success, data, error } = reply.safeParse(sent.reply);
  if (error?.issues.some(({ code }) => code === "too_big")) return { problem: "too_long" };
  // PostgreSQL can store neither NUL nor half of a surrogate pair.
  if (!success || data.text.includes("\0") || !data.text.isWellFormed())
    return { problem: "invalid_reply" };
  return data;
}

function parseJson(json: string): { reply?: unknown } | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Usage counts messages by the day (UTC) in their ids. */
const dayOf = (id: string) => new Date(idTimeMs(id)).toISOString().slice(0, 10);

/** The parameters of the message that a reply becomes, and of its event. */
export function replyValues(delivery: ClaimedDelivery, text: string, at: Date) {
  const { tenantId, environment, eventId } = delivery;
  const { id: questionId, conversationId = "" } = (
    JSON.parse(delivery.payload) as { data: { object: { id: string; conversationId?: string } } }
  ).data.object;
  const partition = { tenantId, environment };
  const message = {
    ...newMessage(
      partition,
      { id: conversationId, customer: null },
      0,
      { text, author: { type: "AGENT" }, externalId: eventId },
      at,
    ),
    id: `msg_${eventId.slice(4)}`,
  };
  const event = newEvent(system(partition), "message.sent", withPlaceholders(message), at);
  const payload = cutEvent(event);
  return {
    ...partition,
    at,
    ...eventValues({ ...event, payload: payload.untilTimestamp }),
    conversationId,
    questionId,
    messageId: message.id,
    text,
    externalId: eventId,
    lateDay: dayOf(eventId) < at.toISOString().slice(0, 10) ? dayOf(eventId) : null,
    preview: previewOf(message),
    fromSequenceToAuthorId: payload.fromSequenceToAuthorId,
    payloadFromTimestamp: payload.start,
    payloadFromAuthor: payload.fromAuthor,
    payloadEnd: payload.end,
  };
}
