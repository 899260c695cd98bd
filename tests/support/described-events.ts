import { expect } from "vitest";
import { describedEvents } from "@/lib/api/event-reference";
import { event } from "@/lib/events/schema";
import { db } from "@/lib/platform/db";

/**
 * Checks every event that the tests of a file have raised against the schema of its type. No field
 * may be missing, and none may be without a description.
 */
export async function requireDescribedEvents(): Promise<void> {
  for (const { payload } of await db().event.findMany({ select: { payload: true } })) {
    const raised = JSON.parse(payload);
    // Parsing drops what a schema does not name, and would then be missed here.
    expect(describedEvents[event.parse(raised).type].schema.parse(raised)).toEqual(raised);
  }
}
