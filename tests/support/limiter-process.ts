import { upstashRateLimiter } from "@/lib/platform/rate-limit/upstash-rate-limiter";

// A separate process that takes from a limiter on commands over IPC: `node --import tsx
// <this file> <url> <token>`.

export type Order = {
  nowMs: number;
  identifier: string;
  limit: number;
  windowMs: number;
  count: number;
};

const [url = "", token = ""] = process.argv.slice(2);
let nowMs = 0;
const limiter = upstashRateLimiter({ url, token, timeoutMs: 20_000, now: () => nowMs });

process.on("message", async ({ count, identifier, limit, windowMs, ...order }: Order) => {
  nowMs = order.nowMs;
  const results = await Promise.all(
    Array.from({ length: count }, () => limiter.take(identifier, limit, windowMs)),
  );
  if (limiter.fallbacks.count > 0) process.exit(1);
  process.send?.(results);
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
