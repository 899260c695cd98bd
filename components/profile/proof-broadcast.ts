/** Tells the other windows of this browser that the user signed in again. It carries no secret. */
const channelName = "parlance-proof";

export function announceProof(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("proved");
  channel.close();
}

/** @returns a function that stops listening */
export function listenForProof(onProof: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = onProof;
  return () => channel.close();
}
