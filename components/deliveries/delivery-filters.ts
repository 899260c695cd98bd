import type { Filter } from "@/components/ui/filters";
import { responseClasses, deliveryStatuses as statusNames } from "@/lib/deliveries/schema";
import { eventTypes } from "@/lib/events/event-types";
import { deliveryBadges, responseLabels } from "./labels";

/** The filters of a list of deliveries, named as in its query. */
export const deliveryFilters = (zone: string, zoneName: string): Filter[] => [
  {
    name: "status",
    label: "Status",
    options: statusNames.map((value) => ({ value, label: deliveryBadges[value].label })),
  },
  {
    name: "eventType",
    label: "Event",
    options: eventTypes.map((value) => ({ value, label: value })),
  },
  {
    name: "response",
    label: "Last response",
    options: responseClasses.map((value) => ({ value, label: responseLabels[value] })),
  },
  { name: "since", label: `Event from (${zoneName})`, type: "datetime-local", zone },
  { name: "until", label: `Event to (${zoneName})`, type: "datetime-local", zone },
];
