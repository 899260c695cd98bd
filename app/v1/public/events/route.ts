import { operation } from "@/lib/api/operation";
import { eventPage, listEventsQuery } from "@/lib/events/schema";
import { listEvents } from "@/lib/events/service";

export const GET = operation({
  operationId: "listEvents",
  summary: "List events, newest first",
  scope: "read:webhooks",
  query: listEventsQuery,
  response: eventPage,
  run: ({ caller, query }) => listEvents(caller, query),
});
