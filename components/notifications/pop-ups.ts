// Whether this browser shows notifications outside of its window. The browser's own permission
// decides, and the user can turn them off here without revoking it.

const storageKey = "parlance.pop-ups";

export type PopUps = "unsupported" | "blocked" | "off" | "on";

export function readPopUps(): PopUps {
  if (!("Notification" in window)) return "unsupported";
  if (Notification.permission === "denied") return "blocked";
  const isChosen = window.localStorage.getItem(storageKey) === "on";
  return isChosen && Notification.permission === "granted" ? "on" : "off";
}

export async function turnPopUpsOn(): Promise<void> {
  if ((await Notification.requestPermission()) === "granted")
    window.localStorage.setItem(storageKey, "on");
}

export const turnPopUpsOff = () => window.localStorage.removeItem(storageKey);

const newestKey = "parlance.newest-notification";

/**
 * The unread notifications of an environment that no tab of this browser has shown yet. The first
 * time, all are old.
 * @param base `/{tenant}/{environment}`: each has its own notifications, and maybe its own tab
 * @param unread newest first
 */
export function takeNew<Item extends { id: string }>(
  storage: Pick<Storage, "getItem" | "setItem">,
  base: string,
  unread: Item[],
): Item[] {
  const key = `${newestKey}:${base}`;
  const shown = storage.getItem(key);
  const newest = unread[0]?.id ?? "";
  // Never goes back: the newest ones may have been read since.
  if (shown === null || newest > shown) storage.setItem(key, newest);
  return shown === null ? [] : unread.filter(({ id }) => id > shown);
}
