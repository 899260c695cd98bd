/**
 * By which a window in which somebody has signed in again tells the others of this browser. It
 * carries no secret.
 */
const channelName = "parlance-proof";

export function announceProof(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("proved");
  channel.close();
}

/** @returns what ends the listening */
export function listenForProof(heard: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = heard;
  return () => channel.close();
}
