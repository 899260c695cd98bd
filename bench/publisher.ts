// Publishes messages through the API, so many at a time, and reports when each response arrived. It
// is a separate process, so that it waits neither for the receiver nor for the benchmark.
import { Pool } from "undici";
import { monotonicMs } from "./processes";

export type PublishOrder = {
  origin: string;
  /** Published to in turn. */
  conversations: { id: string; key: string }[];
  count: number;
  connections: number;
  /** After each response; 0 publishes as fast as possible. */
  pauseMs: number;
};

export type Published = {
  seconds: number;
  durationsMs: number[];
  responses: [messageId: string, atMs: number][];
};

const body = JSON.stringify({ text: "Where is my order? It should have been here yesterday." });

process.on("message", async (order: PublishOrder) => {
  process.send?.(await publish(order));
});

async function publish({ origin, conversations, count, connections, pauseMs }: PublishOrder) {
  const pool = new Pool(origin, { connections });
  const published: Published = { seconds: 0, durationsMs: [], responses: [] };
  let next = 0;
  const startedAt = monotonicMs();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < count) {
        const conversation = conversations[next++ % conversations.length];
        const sentAt = monotonicMs();
        const response = await pool.request({
          method: "POST",
          path: `/v1/public/conversations/${conversation?.id}/messages`,
          headers: {
            authorization: `Bearer ${conversation?.key}`,
            "content-type": "application/json",
          },
          body,
        });
        const text = await response.body.text();
        const respondedAt = monotonicMs();
        if (response.statusCode !== 201) throw new Error(`${response.statusCode}: ${text}`);
        published.durationsMs.push(respondedAt - sentAt);
        published.responses.push([/msg_[0-9A-Z]{26}/.exec(text)?.[0] ?? "", respondedAt]);
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }),
  );
  published.seconds = (monotonicMs() - startedAt) / 1_000;
  await pool.destroy();
  return published;
}
