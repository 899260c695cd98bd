import { inngest } from "./clocks";
import type { EventData } from "./inngest-server";

const isAbout = (data: EventData, deliveryId: string) =>
  data.deliveryId === deliveryId || data.deliveryIds?.includes(deliveryId);

/** The runs of a function for one delivery. */
export const runsOf = (deliveryId: string, name = "send-deliveries") =>
  inngest.runs.filter(
    ({ functionId, events }) =>
      functionId === `parlance-${name}` && events.some(({ data }) => isAbout(data, deliveryId)),
  );

/** The events from outside Inngest for one delivery. */
export const eventsOf = (deliveryId: string) =>
  inngest.events.filter(
    ({ name, data, id }) => name === "deliveries/due" && isAbout(data, deliveryId) && id,
  );
