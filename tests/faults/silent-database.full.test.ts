import { afterAll, beforeAll, expect, test } from "vitest";
import { env } from "@/lib/platform/env";
import { newKey } from "../support/api";
import { startWeb, startWorker } from "../support/processes";
import { startReceiver } from "../support/receiver";
import { startSilentProxy } from "../support/silent-proxy";
import { countByStatus, newPartition, newWebhook } from "../support/webhooks";

const clients = 32;

// One for each process, to see when it has noticed the silence.
let proxies: Awaited<ReturnType<typeof startSilentProxy>>[];
beforeAll(async () => {
  proxies = await Promise.all([1, 2].map(() => startSilentProxy(env().DATABASE_URL)));
});
afterAll(() => Promise.all(proxies.map((proxy) => proxy.close())));

test("web and worker recover from a database that was silent under load for longer than they wait", async () => {
  const partition = await newPartition();
  const { key } = await newKey({ id: partition.tenantId, slug: "" });
  const receiver = await startReceiver();
  const webhook = await newWebhook(receiver.url, partition);
  const [webUrl = "", workerUrl = ""] = proxies.map(({ url }) => url);
  const web = await startWeb({ DATABASE_URL: webUrl });
  const worker = await startWorker({ DATABASE_URL: workerUrl });
  const post = async () => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ channelId: "web" });
    const response = await fetch(`${web.url}/v1/public/conversations`, {
      method: "POST",
      headers,
      body,
    });
    await response.arrayBuffer();
    return response.status;
  };
  const statuses = new Set<number>();
  let isLoaded = true;
  const load = Array.from({ length: clients }, async () => {
    while (isLoaded) statuses.add(await post());
  });
  await receiver.received(100);

  const silentAt = performance.now();
  await Promise.all(proxies.map((proxy) => proxy.goSilent().noticed));
  for (const proxy of proxies) proxy.speakAgain();
  const backAt = performance.now();
  while ((await post()) !== 201);
  const respondedMs = Math.round(performance.now() - backAt);
  const received = receiver.requests.length;
  await receiver.received(received + 1);
  const deliveredMs = Math.round(performance.now() - backAt);
  isLoaded = false;
  await Promise.all(load);
  process.stdout.write(
    `silent for ${Math.round(backAt - silentAt)} ms: responded ${respondedMs} ms, delivered ${deliveredMs} ms after the database was back\n`,
  );
  expect([...statuses].sort()).toEqual([201, 503]);
  // Nothing acknowledged was lost, and deliveries were sent twice only after their lease expired.
  await expect
    .poll(() => countByStatus(partition, webhook.id))
    .toEqual({ DELIVERED: expect.any(Number) });

  for (const proxy of proxies) proxy.goSilent();
  // Each process exits by itself, with code 1 if it could not finish its work.
  const codes = await Promise.all([web.end("SIGTERM"), worker.end("SIGTERM")]);
  expect(codes.every((code) => code === 0 || code === 1)).toBe(true);
  await receiver.close();
});
