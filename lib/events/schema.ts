import { z } from "zod";
import { environment, idOf, idParameter, instant, instantOrMinute, listQuery, pageOf, timestamp } from "@/lib/schema";
import { eventTypes } from "./catalogue";

export const event = z
  .object({
    id: idOf("event"),
    type: z.enum(eventTypes),
    apiVersion: z.literal("v1"),
    environment,
    timestamp,
    data: z.object({
      object: z.record(z.string(), z.unknown()).meta({ description: "What the API would answer for the object at that moment." }),
      previousAttributes: z.record(z.string(), z.unknown()).optional(),
    }),
    request: z.object({ id: idOf("request"), idempotencyKey: z.string().nullable() }).nullable(),
  })
  .meta({ id: "Event" });

export const eventTypeList = z.object({
  data: z.array(
    z
      .object({
        type: z.enum(eventTypes),
        description: z.string(),
        schema: z.record(z.string(), z.unknown()).meta({ description: "The event as a JSON Schema, draft 2020-12." }),
        example: event,
      })
      .meta({ id: "EventType" }),
  ),
});

export const eventParams = z.object({ eventId: idParameter("event") });
export const eventPage = pageOf(event);
export const listEventsQuery = listQuery("event", "desc", {
  type: z.enum(eventTypes).optional(),
  since: instant.optional().meta({ description: "Only events of this time or later." }),
});

/** The same for the dashboard, whose field for the time knows no offset. */
export const searchEventsQuery = listEventsQuery.extend({ since: instantOrMinute.optional() });

export type EventTypeList = z.input<typeof eventTypeList>;
export type Event = z.input<typeof event>;
export type ListEvents = z.output<typeof listEventsQuery>;
