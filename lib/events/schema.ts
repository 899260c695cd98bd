import { z } from "zod";
import {
  commaList,
  environment,
  instant,
  instantOrMinute,
  integer,
  storedText,
  timestamp,
} from "@/lib/platform/schema";
import { idOf, idParameter } from "@/lib/resources/id-schema";
import { isId } from "@/lib/resources/ids";
import { listQuery, pageOf } from "@/lib/resources/pages";
import { eventTypes } from "./event-types";

export const eventName = z
  .enum(eventTypes)
  .meta({ id: "EventName", description: "What happened. New names may be added." });

export const event = z
  .object({
    id: idOf("event"),
    type: eventName,
    apiVersion: z.literal("v1").meta({ description: "The API version of the object's format." }),
    environment,
    timestamp: timestamp.meta({ description: "When it happened." }),
    data: z
      .object({
        object: z
          .record(z.string(), z.unknown())
          .meta({ description: "The object as the API returned it at that moment." }),
        previousAttributes: z
          .record(z.string(), z.unknown())
          .optional()
          .meta({ description: "The previous values of the fields that changed." }),
        agentId: idOf("agent")
          .nullable()
          .optional()
          .meta({ description: "Of `message.received`: the conversation's agent." }),
        agentVersion: integer("The agent's published version, in `message.received`.", {
          minimum: 1,
        })
          .nullable()
          .optional(),
        example: z
          .record(z.string().max(200), z.unknown())
          .optional()
          .meta({ description: "The event that was sent instead, in a test of another type." }),
      })
      .meta({ description: "What the event is about." }),
    request: z
      .object({
        id: idOf("request"),
        idempotencyKey: storedText(255, "The `Idempotency-Key` of the request.").nullable(),
      })
      .nullable()
      .meta({ description: "The API request that caused the event, or null if none did." }),
    redacted: z.literal(true).optional().meta({
      description:
        "Content was removed from the event: a message was redacted, or a customer was erased. Its texts are empty or null.",
    }),
  })
  .meta({ id: "Event", description: "Something that happened." });

export const eventTypeList = z.object({
  data: z
    .array(
      z
        .object({
          type: eventName,
          description: storedText(500, "When the event is raised."),
          schema: z
            .record(z.string().max(200), z.unknown())
            .meta({ description: "The event as a JSON Schema, draft 2020-12." }),
          example: event.meta({ description: "An event of this type." }),
        })
        .meta({
          id: "EventTypeInfo",
          description: "A type of event, with its schema and an example.",
        }),
    )
    .meta({ description: "Every type of event.", maxItems: eventTypes.length }),
});

export const eventParams = z.object({ eventId: idParameter("event") });
export const eventPage = pageOf(event);
export const listEventsQuery = listQuery("event", "desc", {
  type: eventName.optional(),
  since: instant.optional().meta({ description: "Only events of this time or later." }),
});

/** The cursor of a stream that starts with the oldest stored event. */
export const streamStart = "start";

export const isStreamCursor = (value: string): boolean =>
  value === streamStart || isId("event", value);

export const streamEventsQuery = z.strictObject({
  cursor: z
    .string()
    .refine(isStreamCursor, {
      params: { kind: "invalid-cursor" },
      message: "must be the id of an event, or `start`",
    })
    .optional()
    .meta({
      description:
        "The id of the last event that you have: the stream continues after it. `start` begins with the oldest stored event. Without a cursor, the stream begins with the next event. The header `Last-Event-ID` takes precedence.",
      pattern: "^(evt_[0-7][0-9A-HJKMNP-TV-Z]{25}|start)$",
      maxLength: 30,
    }),
  types: commaList(eventTypes)
    .optional()
    .meta({
      description: "Only events of these types, separated by commas.",
      items: { $ref: "#/$defs/EventName" },
      examples: [["message.received", "conversation.created"]],
    }),
});

/** The same for the dashboard, whose time field has no offset. */
export const searchEventsQuery = listEventsQuery.extend({
  since: instantOrMinute.optional(),
  /** Only events about the object with this id. */
  objectId: z.string().max(100).optional(),
  /** Only events with a delivery that has not succeeded. */
  undelivered: z.literal("true").optional(),
});

export type EventTypeList = z.input<typeof eventTypeList>;
export type Event = z.input<typeof event>;
export type ListEvents = z.output<typeof listEventsQuery>;
export type SearchEvents = z.output<typeof searchEventsQuery>;
export type StreamEvents = z.output<typeof streamEventsQuery>;
