/**
 * 32 random hex digits. Not crypto.randomUUID, which browsers only offer to pages served over https
 * and on localhost.
 */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
