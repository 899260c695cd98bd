/** Tells the bell to count again. */
const name = "parlance:notifications-read";

export const announceRead = () => window.dispatchEvent(new Event(name));

export function listenForRead(listener: () => void): () => void {
  window.addEventListener(name, listener);
  return () => window.removeEventListener(name, listener);
}
