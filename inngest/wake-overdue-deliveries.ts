import {
  findOverdueDeliveries,
  type OverdueDelivery,
  startOfOverdue,
} from "@/lib/deliveries/engine/find-overdue-deliveries";
import type { RecurringJob } from "@/lib/scheduling/recurring-jobs";
import { sendEvents } from "./client";
import { groupBy } from "./group-by";
import { toDeliveryEvents } from "./inngest-clock";

/** Late enough not to overtake a run that is already on its way. */
export const overdueSeconds = 120;

let place = startOfOverdue;
/** How often the delay of a delivery had doubled when it was last woken. */
let woken = new Map<string, number>();
let wokenBefore = woken;

const doublingsOf = ({ overdueForSeconds }: OverdueDelivery) =>
  Math.floor(Math.log2(overdueForSeconds / overdueSeconds));

const lastDoublingsOf = ({ id }: OverdueDelivery) => woken.get(id) ?? wokenBefore.get(id) ?? -1;

/**
 * Wakes Inngest for deliveries that are overdue, because it lost their runs or never received them.
 * The delay of a delivery at least doubles between two events, so that being late does not add to a
 * backlog. Each call continues where the last one stopped, and after a failure repeats it.
 */
export const wakeOverdueDeliveries: RecurringJob = {
  work: async (limit) => {
    const deliveries = await findOverdueDeliveries({ overdueSeconds, limit, after: place });
    const late = deliveries.filter((delivery) => doublingsOf(delivery) > lastDoublingsOf(delivery));
    const events = [...groupBy(late, doublingsOf)].flatMap(([doublings, some]) =>
      toDeliveryEvents(some, { suffix: `late ${doublings}` }),
    );
    if (events.length > 0) await sendEvents(events);

    for (const delivery of deliveries)
      woken.set(delivery.id, Math.max(doublingsOf(delivery), lastDoublingsOf(delivery)));
    const last = deliveries.at(-1);
    const isComplete = !last || deliveries.length < limit;
    place = isComplete ? startOfOverdue : last;
    if (isComplete) [wokenBefore, woken] = [woken, new Map()];
    return deliveries.length;
  },
  limit: 500,
  pauseMs: 5_000,
};
