import type { DeliveryReference } from "@/lib/platform/caller";
import { listenOn } from "@/lib/platform/listen-for-notifications";
import { deliveriesOfPayload, documentsPayload, wakeChannel } from "@/lib/platform/wake-ups";

/**
 * Calls `onWake` after a commit with something to send, with the deliveries unless they are many, and
 * `onDocuments` after one with something to process. These are only hints: while the connection is
 * down, polling finds the work.
 */
export function listenForWakeUps(
  onWake: (deliveries?: DeliveryReference[]) => void,
  onDocuments: () => void = () => {},
) {
  return listenOn({
    name: "wake-up",
    channel: wakeChannel,
    onNotification: (payload) =>
      payload === documentsPayload ? onDocuments() : onWake(deliveriesOfPayload(payload)),
    // Checks for work that was committed while the connection was down.
    onConnected: () => {
      onWake();
      onDocuments();
    },
  });
}
