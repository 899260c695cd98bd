import { z } from "zod";
import type { EventNoun, EventTypeOf } from "./event-types";
import { type Event, event } from "./schema";

/** What a noun's `events.ts` says about one of its event types. */
export type EventDeclaration = {
  /** When the event happens. */
  description: string;
  /** What raises the event, and what does not: sentences for its page in the documentation. */
  triggers: readonly string[];
  /** The event's `data`. `data.object` is what the API would return for the same object. */
  data: z.ZodObject;
  example: {
    timestamp: string;
    /** Null if no API request caused the event: a user of the dashboard or a job did. */
    request: { id: string; idempotencyKey: string } | null;
    data: Event["data"];
  };
};

/** Every event type of a noun, so that the compiler finds one that is not declared. */
export type EventDeclarations<Noun extends EventNoun> = Record<EventTypeOf<Noun>, EventDeclaration>;

type Example<Object extends z.ZodObject> = {
  timestamp: string;
  request: EventDeclaration["example"]["request"];
  object: z.input<Object>;
};

/** An event about an object that was created, reached a state, or was deleted. */
export function eventAbout<Object extends z.ZodObject>(
  object: Object,
  {
    description,
    triggers,
    example,
  }: Pick<EventDeclaration, "description" | "triggers"> & { example: Example<Object> },
): EventDeclaration {
  const { timestamp, request, object: shown } = example;
  return {
    description,
    triggers,
    data: z.object({ object }),
    example: { timestamp, request, data: { object: { ...shown } } },
  };
}

/** An event about a change, with the previous values of the fields that changed. */
export function changeOf<Object extends z.ZodObject>(
  object: Object,
  {
    description,
    triggers,
    example,
  }: Pick<EventDeclaration, "description" | "triggers"> & {
    example: Example<Object> & { previousAttributes: Partial<z.input<Object>> };
  },
): EventDeclaration {
  const { timestamp, request, object: shown, previousAttributes: previous } = example;
  const previousAttributes = z
    .object(object.partial().shape)
    .optional()
    .meta({ description: event.shape.data.shape.previousAttributes.meta()?.description });
  return {
    description,
    triggers,
    data: z.object({ object, previousAttributes }),
    example: {
      timestamp,
      request,
      data: { object: { ...shown }, previousAttributes: { ...previous } },
    },
  };
}

// One story for all examples: Ada asks a shop about her order, and its agent replies.

export const exampleTimes = {
  created: "2026-01-31T09:30:00.000Z",
  changed: "2026-01-31T09:42:00.000Z",
};

/** The fields that every object of the story has. */
export const exampleFields = {
  environment: "test",
  createdAt: exampleTimes.created,
  updatedAt: exampleTimes.created,
} as const;

export const exampleRequest = {
  id: "req_01KG9P5Y3ZC8E4H6Q2N7T9V5WD",
  idempotencyKey: "0f3b6f0e-6f0a-4f4e-9b1c-2a7f6f1f9c11",
};
