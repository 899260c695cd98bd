import { listEventTypes } from "@/lib/api/event-reference";
import { operation } from "@/lib/api/operation";
import { eventTypeList } from "@/lib/events/schema";

export const GET = operation({
  operationId: "listEventTypes",
  summary: "List the event types, each with its JSON Schema and an example",
  scope: "read:webhooks",
  response: eventTypeList,
  run: async () => listEventTypes(),
});
