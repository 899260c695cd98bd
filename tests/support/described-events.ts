import { expect } from "vitest";
import { describedEvents } from "@/lib/api/event-reference";
import { event } from "@/lib/events/schema";
import { db } from "@/lib/platform/db";

/**
 * Holds every event that the tests of a file have raised against the schema of its type: nothing
 * lacks, nothing is unnamed.
 */
export async function requireDescribedEvents(): Promise<void> {
  for (const { payload } of await db().event.findMany({ select: { payload: true } })) {
    const raised = JSON.parse(payload);
    // Parsing drops what a schema does not name, and would then be missed here.
    expect(describedEvents[event.parse(raised).type].schema.parse(raised)).toEqual(raised);
  }
}
