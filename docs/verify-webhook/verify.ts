import { createHmac, timingSafeEqual } from "node:crypto";

const toleranceSeconds = 300;

/**
 * `body`: the bytes as they arrived, before any parsing. `header`: the value of
 * X-Service-Signature.
 */
export function isGenuine(
  body: Buffer,
  header: string,
  secret: string,
  now = Date.now() / 1000,
): boolean {
  const pairs = header.split(",").map((pair) => pair.split("=") as [string, string]);
  const timestamp = pairs.find(([name]) => name === "t")?.[1] ?? "";
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > toleranceSeconds)
    return false;

  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
  return pairs.some(([name, value = ""]) => {
    const signature = Buffer.from(value, "hex");
    return (
      name === "v1" && signature.length === expected.length && timingSafeEqual(signature, expected)
    );
  });
}
