import { z } from "zod";
import {
  environment,
  instant,
  instantOrMinute,
  storedText,
  timestamp,
} from "@/lib/platform/schema";
import { idOf, idParameter } from "@/lib/resources/id-schema";
import { listQuery, pageOf } from "@/lib/resources/pages";
import { eventTypes } from "./event-types";

export const eventName = z
  .enum(eventTypes)
  .meta({ id: "EventName", description: "What happened. New names may be added." });

export const event = z
  .object({
    id: idOf("event"),
    type: eventName,
    apiVersion: z
      .literal("v1")
      .meta({ description: "The version of the API that the object has the shape of." }),
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
      })
      .meta({ description: "What the event is about." }),
    request: z
      .object({
        id: idOf("request"),
        idempotencyKey: storedText(255, "The `Idempotency-Key` of the request.").nullable(),
      })
      .nullable()
      .meta({ description: "The API request that caused the event, or null if none did." }),
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

/** The same for the dashboard, whose time field has no offset. */
export const searchEventsQuery = listEventsQuery.extend({ since: instantOrMinute.optional() });

export type EventTypeList = z.input<typeof eventTypeList>;
export type Event = z.input<typeof event>;
export type ListEvents = z.output<typeof listEventsQuery>;
