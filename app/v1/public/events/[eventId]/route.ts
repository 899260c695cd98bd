import { operation } from "@/lib/api/operation";
import { event, eventParams } from "@/lib/events/schema";
import { getEvent } from "@/lib/events/service";

export const GET = operation({
  operationId: "getEvent",
  summary: "Get an event",
  scope: "read:webhooks",
  params: eventParams,
  response: event,
  run: ({ caller, params }) => getEvent(caller, params.eventId),
});
