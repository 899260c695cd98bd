import { operation } from "@/lib/api/operation";
import { eventPage, listEventsQuery } from "@/lib/events/schema";
import { listEvents } from "@/lib/events/service";

export const GET = operation({
  operationId: "listEvents",
  summary: "List events, newest first",
  description:
    "With `order=asc`, a client that continues after the last event it has read misses nothing and reads nothing twice: an event appears only after every event before it. Events are listed for at least 30 days. An event's id remains valid as a cursor for another 30 days.",
  scope: "read:webhooks",
  query: listEventsQuery,
  response: eventPage,
  run: ({ caller, query }) => listEvents(caller, query),
});
