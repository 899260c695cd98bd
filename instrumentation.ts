/** Called by Next once for each of its servers: deliveries that pages and actions cause wake the configured clock. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { registerClock } = await import("@/inngest/clock");
  registerClock();
}
