import { streamOperation } from "@/lib/api/operation";
import { followEvents } from "@/lib/events/follow";
import { event, streamEventsQuery } from "@/lib/events/schema";

export const GET = streamOperation({
  operationId: "streamEvents",
  summary: "Stream events as they happen",
  description:
    "The response is a stream of server-sent events that does not end: each has the event's id and, as `data`, the event. They are in the order of the ascending feed, which is gap-free: a client that reconnects with the last id it received, in `Last-Event-ID` or as `cursor`, misses nothing and receives nothing twice. The stream sends an event or a comment at least every 15 seconds. A key has at most 10 open streams, and an environment at most 100, over all keys. Opening one counts as one request.",
  scope: "read:webhooks",
  query: streamEventsQuery,
  response: event,
  problems: ["invalid-cursor", "limit-reached"],
  follow: ({ caller, query, lastEventId }) => followEvents(caller, query, lastEventId),
});
