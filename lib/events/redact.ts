import type { Caller } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { fewRows } from "@/lib/platform/sql";
import { firstIdAt, idTimeMs } from "@/lib/resources/ids";
import type { EventType } from "./event-types";
import { recordLifetimeMs } from "./idempotency-record";
import {
  eventsOfConversationStatement,
  firstEventAboutStatement,
  forgetResponsesStatement,
  keysReturningStatement,
  redactEventsStatement,
} from "./redact.sql";
import type { Event } from "./schema";

export type StoredEvent = { id: string; payload: string };

/** An object as an event shows it, without what must be removed. All of its fields remain. */
export type Clear = (object: Event["data"]["object"], type: EventType) => object;

const eventsOfMessages: EventType[] = ["message.received", "message.sent"];

/**
 * A message and its event are written together, with the same time. Their ids are made at slightly
 * different times, on machines whose clocks can differ. All of this is within a minute.
 */
const toleranceMs = 60_000;

/**
 * The event of a message, or none.
 * @param message without a time if it may have been deleted
 */
export const eventsOfMessage = (
  caller: Caller,
  message: { id: string; createdAt?: Date | undefined },
): Promise<StoredEvent[]> => firstEventAbout(caller, eventsOfMessages, message.id, message);

/**
 * The event of these types about an object that was written with the message. Its id is made by the
 * clock of the process that posts, after the message's own id. A reply in a webhook's response has the
 * older id of what it replies to, so the time is searched at which it was posted. That time is far
 * from the clock if the conversation was changed before by a clock that was ahead. Then the time of
 * the message's id is searched, too.
 */
async function firstEventAbout(
  caller: Caller,
  types: EventType[],
  objectId: string,
  { id, createdAt }: { id: string; createdAt?: Date | undefined },
): Promise<StoredEvent[]> {
  const madeAtMs = idTimeMs(id);
  const postedAtMs = Math.max(madeAtMs, createdAt?.getTime() ?? 0);
  const isFar = postedAtMs > madeAtMs + toleranceMs;
  for (const atMs of isFar ? [postedAtMs, madeAtMs] : [postedAtMs]) {
    const found = await runSql<StoredEvent>(
      firstEventAboutStatement({
        ...caller.partition,
        types,
        afterId: firstIdAt("event", new Date(Math.max(madeAtMs, atMs - toleranceMs))),
        beforeId: firstIdAt("event", new Date(atMs + toleranceMs)),
        createdAt,
        mark: `"object":{"id":"${objectId}"`,
      }),
      caller,
    );
    if (found.length > 0) return found;
  }
  return [];
}

type PostedMessage = {
  id: string;
  conversationId: string;
  createdAt: Date;
  /** Missing if it may have been deleted. */
  redactedAt?: Date | null | undefined;
};

/**
 * The next events of a message's conversation that have the message's preview. It was the newest one
 * of the conversation then, so the times are equal. Their ids are never older than that time. If
 * another message has the same time, its preview is removed from events until the redaction, too.
 * @param afterId empty for the first ones
 * @returns also the last event that was read, if there may be more
 */
export async function eventsWithPreview(
  caller: Caller,
  message: PostedMessage,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<{ events: StoredEvent[]; lastId: string | null }> {
  const { conversationId, createdAt } = message;
  const read = await runSql<{ id: string; payload: string | null }>(
    eventsOfConversationStatement({
      ...caller.partition,
      conversationId,
      mark: `"lastMessageAt":"${createdAt.toISOString()}"`,
      afterId: afterId || firstIdAt("event", createdAt),
      limit,
    }),
    caller,
  );
  const creation = afterId === "" ? await creationWith(caller, message) : [];
  const events = [...creation, ...read].flatMap(({ id, payload }) =>
    payload === null ? [] : [{ id, payload }],
  );
  return {
    events: events.filter((event) => hasPreview(event, message)),
    lastId: read.length < limit ? null : (read.at(-1)?.id ?? null),
  };
}

/**
 * False for an event from after the redaction. True also for one whose preview was removed already, so
 * that the log of its request is cleared.
 */
function hasPreview({ payload }: StoredEvent, { redactedAt }: PostedMessage): boolean {
  const { timestamp, data, redacted } = JSON.parse(payload) as Event;
  if (redactedAt && new Date(timestamp) > redactedAt) return false;
  return typeof data.object.lastMessagePreview === "string" || redacted === true;
}

export const clearPreview: Clear = (object) => ({ ...object, lastMessagePreview: null });

/** The event of the conversation's creation, if the conversation was created with the message. */
async function creationWith(caller: Caller, message: PostedMessage): Promise<StoredEvent[]> {
  // Both have the same time then, and an id is never older than its object.
  const isOlder = idTimeMs(message.conversationId) < message.createdAt.getTime();
  if (isOlder) return [];
  return firstEventAbout(caller, ["conversation.created"], message.conversationId, message);
}

/**
 * The text of a reply in a webhook's response is also in the responses to the event that its id is
 * made from. Removes those. For any other message there are none.
 */
export async function clearResponsesWithReply(caller: Caller, messageId: string): Promise<void> {
  await clearResponses(caller, [`evt_${messageId.slice(4)}`]);
}

/** A request can wait this long for other changes of the conversation. */
const longestRequestMs = 5 * 60_000;

/**
 * The idempotency keys of requests that returned what they created with this id. For what has no
 * event that names its key.
 */
export async function keysReturning(caller: Caller, id: string): Promise<string[]> {
  const expiresMs = idTimeMs(id) + recordLifetimeMs;
  const found = await runSql<{ key: string }>(
    keysReturningStatement({
      ...caller.partition,
      id,
      expiresAfter: new Date(expiresMs - longestRequestMs),
      expiresBefore: new Date(expiresMs + toleranceMs),
    }),
    caller,
  );
  return found.map(({ key }) => key);
}

/** The request that caused an event. */
export const requestOf = ({ payload }: StoredEvent): Event["request"] =>
  (JSON.parse(payload) as Event).request;

/**
 * Removes the stored responses of requests that were made at these times. The keys remain, so that the
 * requests are not performed again.
 */
export async function forgetResponses(
  caller: Caller,
  requests: { key: string; at: Date }[],
): Promise<void> {
  if (requests.length === 0) return;
  const keys = requests.map(({ key }) => key);
  const times = requests.map(({ at }) => new Date(at.getTime() + toleranceMs));
  await runSql(forgetResponsesStatement({ ...caller.partition, keys, times }), caller);
}

/** With 20 webhooks, one statement can then take all of their deliveries. */
const eventsAStatement = 40;

/**
 * Removes content from events, and what is stored of their deliveries' responses. The events keep
 * the format of their type. Deliveries that were not sent yet are sent with what is left.
 * @returns how many deliveries they have
 */
export async function redactEvents(
  caller: Caller,
  events: StoredEvent[],
  clear: Clear,
): Promise<number> {
  let total = 0;
  for (let from = 0; from < events.length; from += eventsAStatement) {
    const some = events.slice(from, from + eventsAStatement);
    total += await writeRedacted(
      caller,
      some.map(({ id }) => id),
      some.map(({ payload }) => redactedPayload(payload, clear)),
    );
  }
  return total;
}

/** Removes what is stored of the responses to these events' deliveries. */
export async function clearResponses(caller: Caller, eventIds: string[]): Promise<void> {
  for (let from = 0; from < eventIds.length; from += eventsAStatement) {
    const some = eventIds.slice(from, from + eventsAStatement);
    await writeRedacted(
      caller,
      some,
      some.map(() => null),
    );
  }
}

/**
 * In as many statements as their deliveries need: an event can also have those of deleted webhooks.
 * @returns how many deliveries the events have
 */
async function writeRedacted(
  caller: Caller,
  ids: string[],
  payloads: (string | null)[],
): Promise<number> {
  let total = 0;
  for (let afterId = ""; ; ) {
    const [done] = await runSql<{ deliveries: number; lastId: string | null }>(
      redactEventsStatement({
        ...caller.partition,
        ids,
        payloads: afterId === "" ? payloads : ids.map(() => null),
        afterId,
      }),
      caller,
    );
    total += done?.deliveries ?? 0;
    if (!done?.lastId || done.deliveries < fewRows) return total;
    afterId = done.lastId;
  }
}

/** Whether redacting the event in this way would change nothing. */
export const isCleared = (payload: string, clear: Clear): boolean =>
  redactedPayload(payload, clear) === payload;

function redactedPayload(payload: string, clear: Clear): string {
  const { data, request, redacted: _redacted, ...envelope } = JSON.parse(payload) as Event;
  const { object, previousAttributes: _previous, ...rest } = data;
  return JSON.stringify({
    ...envelope,
    data: { object: clear(object, envelope.type), ...rest },
    request: request && { id: request.id, idempotencyKey: null },
    redacted: true,
  });
}
