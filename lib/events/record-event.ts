import type { Caller, Identity } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { sql } from "@/lib/platform/sql";
import { currentSpan } from "@/lib/platform/tracing";
import { newId } from "@/lib/resources/ids";
import type { EventType, EventTypeOf } from "./event-types";
import { type FilterableConversation, filterableStates } from "./filter";
import { changeParameters, type EventValues, eventParameters, writeEvents } from "./outbox.sql";
import type { Event } from "./schema";

/** `conversationId` is the conversation that it is about, if there is one. */
export type NewEvent = {
  id: string;
  type: EventType;
  payload: string;
  conversationId: string | null;
};

/** An agent and its published version, or null for both. */
export type ConversationAgent = { agentId: string | null; agentVersion: number | null };

type Options = {
  /** The changed fields, with their previous values. */
  previousAttributes?: Record<string, unknown> | undefined;
  /** When the change happened, if the change stores it; defaults to now. */
  at?: Date;
  /** The webhook that the event is about, which gets no delivery of it. */
  exceptWebhookId?: string;
  /** Of a customer's message: the agent of its conversation. */
  agent?: ConversationAgent | undefined;
  /** Of a test: the example of another type, which is sent with the test's id and time. */
  example?: Event | undefined;
};

/**
 * The envelope, as text: these bytes are stored, signed and sent. `object` is exactly what the API
 * returns.
 */
export function newEvent(
  identity: Identity,
  type: EventType,
  object: object,
  at: Date,
  options: Options = {},
): NewEvent {
  const id = newId("event", at);
  const { previousAttributes, agent, example } = options;
  const context = {
    environment: identity.partition.environment,
    timestamp: at.toISOString(),
    request: identity.request,
  };
  const payload = JSON.stringify({
    id,
    type,
    apiVersion: "v1",
    environment: context.environment,
    timestamp: context.timestamp,
    data: {
      object,
      ...agent,
      ...(previousAttributes && { previousAttributes }),
      ...(example && { example: { ...example, id, ...context } }),
    },
    request: context.request,
  });
  return { id, type, payload, conversationId: conversationOf(type, object) };
}

function conversationOf(type: EventType, object: object): string | null {
  const { id, conversationId } = object as { id?: string; conversationId?: string };
  return (type.startsWith("conversation.") ? id : conversationId) ?? null;
}

/**
 * What is sent for an event: its payload, byte for byte, or the example that a test was requested
 * with.
 */
export function sentFor(type: string, payload: string): { type: string; payload: string } {
  if (type !== ("webhook.test" satisfies EventType)) return { type, payload };
  const { example } = (JSON.parse(payload) as { data: { example?: Event } }).data;
  return example ? { type: example.type, payload: JSON.stringify(example) } : { type, payload };
}

/** The event's parameters of a one-statement change; none without an event. */
export const eventValues = (event: NewEvent | null): EventValues =>
  event === null
    ? {}
    : {
        eventId: event.id,
        eventType: event.type,
        eventPayload: event.payload,
        eventConversationId: event.conversationId,
        traceparent: currentSpan()?.traceparent,
      };

const recordEventStatement = sql(
  "record_event",
  { ...changeParameters, ...eventParameters, conversations: "jsonb?", exceptWebhookId: "text?" },
  (p) => `
  WITH go AS (SELECT 1),
  ${writeEvents(p, {
    conversations: p.conversations,
    where: `w.id IS DISTINCT FROM ${p.exceptWebhookId}`,
  })}
  SELECT id FROM delivery`,
);

type MessageEventType = EventTypeOf<"message">;
/** Filters of webhooks compare the conversation of a message. Null only in tests. */
type AboutConversation = { conversation: FilterableConversation | null };

/**
 * Writes an event and its deliveries in the caller's transaction. They are sent once it has
 * committed.
 */
export async function recordEvent<Type extends EventType>(
  caller: Caller,
  type: Type,
  object: object,
  ...[options = {}]: Type extends MessageEventType
    ? [Options & AboutConversation]
    : [(Options & Partial<AboutConversation>)?]
): Promise<void> {
  const { at = new Date(), exceptWebhookId } = options;
  const event = newEvent(caller, type, object, at, options);
  const states = filterableStates(type, object, options);
  const deliveries = await runSql<{ id: string }>(
    recordEventStatement({
      ...caller.partition,
      at,
      ...eventValues(event),
      conversations: states && JSON.stringify(states),
      exceptWebhookId,
    }),
    caller,
  );
  caller.outbox.push(...deliveries.map(({ id }) => ({ ...caller.partition, id })));
}
