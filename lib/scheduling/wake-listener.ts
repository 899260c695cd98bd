import { listenOn } from "@/lib/platform/listen-for-notifications";
import { documentsPayload, wakeChannel } from "@/lib/platform/wake-ups";

/**
 * Calls `onWake` after a commit that left something to send, and `onDocuments` after one that left
 * something to process. These are only hints: while the connection is away, polling finds the work.
 */
export function listenForWakeUps(onWake: () => void, onDocuments: () => void = () => {}) {
  return listenOn({
    name: "wake-up",
    channel: wakeChannel,
    onNotification: (payload) => (payload === documentsPayload ? onDocuments() : onWake()),
    // What was committed while no one listened.
    onConnected: () => {
      onWake();
      onDocuments();
    },
  });
}
