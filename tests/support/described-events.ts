import { expect } from "vitest";
import { describedEvents } from "@/lib/api/event-reference";
import { event } from "@/lib/events/schema";
import { db } from "@/lib/platform/db";

let before = new Set<string>();

const allEvents = () => db().event.findMany({ select: { id: true, payload: true } });

/** Call it before a file: events of files that ran before in the same process are not its own. */
export async function ignoreEarlierEvents(): Promise<void> {
  before = new Set((await allEvents()).map(({ id }) => id));
}

/**
 * Checks every event that the tests of a file have raised against the schema of its type. No field
 * may be missing, and none may be without a description.
 */
export async function requireDescribedEvents(): Promise<void> {
  for (const { id, payload } of await allEvents()) {
    if (before.has(id)) continue;
    const raised = JSON.parse(payload);
    // Parsing drops what a schema does not name, and would then be missed here.
    expect(describedEvents[event.parse(raised).type].schema.parse(raised)).toEqual(raised);
  }
}
