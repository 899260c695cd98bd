import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pool } from "@/lib/platform/db";
import { newKey, newTenant, type TestTenant } from "../support/api";
import { type ApiServer, startApiServer } from "../support/api-server";
import { startWeb, startWorker } from "../support/processes";
import { type Receiver, startReceiver } from "../support/receiver";
import { findDelivery } from "../support/webhooks";

// The processes of the built product, with an Inngest that never responds.

const configured = {
  JOBS: "inngest",
  INNGEST_EVENT_KEY: "event-key",
  INNGEST_SIGNING_KEY: `signkey-test-${"0123456789abcdef".repeat(4)}`,
};

type Server = { url: string; close: () => Promise<unknown> };

/** Both ways to serve the product: our own server, and Next's. */
const servers: { name: string; start: (environment: Record<string, string>) => Promise<Server> }[] =
  [
    {
      name: "server/web",
      start: async (environment) => {
        const { url, end } = await startWeb(environment);
        return { url, close: () => end("SIGKILL") };
      },
    },
    // As on a host that runs the build output as functions.
    {
      name: "next start",
      start: async (environment) => {
        const { url, close } = await openNext({ ...environment, VERCEL: "1" });
        // On SIGTERM, Next waits a minute for connections whose request body was not read.
        return { url, close: () => close("SIGKILL") };
      },
    },
  ];

async function openNext(environment: Record<string, string>): Promise<ApiServer> {
  const before = { ...process.env };
  Object.assign(process.env, environment, { TEST_SERVER: "next" });
  try {
    return await startApiServer();
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

let inngest: Receiver;
let receiver: Receiver;
let tenant: TestTenant;
beforeAll(async () => {
  inngest = await startReceiver(() => {});
  receiver = await startReceiver();
  tenant = await newKey(await newTenant(), { rateLimitPerMinute: 1_000_000 });
});
afterAll(async () => {
  await Promise.all([inngest.close(), receiver.close()]);
});

const post = (url: string, path: string, body: object) =>
  fetch(`${url}/v1/public${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe.each(servers)("$name", ({ start }) => {
  test("404 for Inngest with the embedded clock", async () => {
    const server = await start({ JOBS: "embedded" });
    try {
      for (const method of ["GET", "POST", "PUT"]) {
        const body = method === "GET" ? null : "{}";
        expect(
          (
            await fetch(`${server.url}/api/inngest?fnId=parlance-send-deliveries&stepId=step`, {
              method,
              body,
            })
          ).status,
        ).toBe(404);
      }
    } finally {
      await server.close();
    }
  });

  test("201 without waiting for Inngest, 401 for unsigned requests, and the worker sends what Inngest never received", async () => {
    const environment = { ...configured, INNGEST_BASE_URL: inngest.url };
    const server = await start(environment);
    const worker = await startWorker(environment);
    try {
      const unsigned = await fetch(
        `${server.url}/api/inngest?fnId=parlance-send-deliveries&stepId=step`,
        { method: "POST", body: "{}" },
      );
      expect(unsigned.status).toBe(401);
      expect(await (await fetch(`${server.url}/ready`)).json()).toMatchObject({ clock: "inngest" });

      const path = `/${Math.random()}`;
      const webhook = await post(server.url, "/webhooks", {
        url: `${receiver.url}${path}`,
        events: ["conversation.created"],
      });
      expect(webhook.status).toBe(201);
      const before = inngest.requests.length;
      for (let index = 0; index < 50; index++) {
        expect((await post(server.url, "/conversations", { channelId: "web" })).status).toBe(201);
      }
      // If a response waited for Inngest, which never responds, each of the 50 requests would have
      // sent its own.
      const sent = inngest.requests.length - before;
      expect(sent).toBeGreaterThan(0);
      expect(sent).toBeLessThan(50);
      const received = () => receiver.requests.filter((request) => request.path === path);
      expect(received()).toHaveLength(0);

      const { id } = (await webhook.json()) as { id: string };
      const { rows } = await pool().query<{ id: string }>(
        "UPDATE deliveries SET next_attempt_at = now() - interval '121 seconds' WHERE webhook_id = $1 RETURNING id",
        [id],
      );
      expect(rows).toHaveLength(50);
      await expect.poll(() => received().length).toBe(50);
      expect(new Set(received().map(({ headers }) => headers["x-service-delivery-id"])).size).toBe(
        50,
      );
      await expect
        .poll(async () => (await findDelivery(tenant.identity.partition, rows[0]?.id ?? "")).status)
        .toBe("DELIVERED");
    } finally {
      await Promise.all([server.close(), worker.end("SIGKILL")]);
    }
  });
});

test.each([
  ["web", startWeb],
  ["worker", startWorker],
])(
  "%s refuses INNGEST_DEV in production, which would run unsigned requests",
  async (_name, start) => {
    await expect(start({ INNGEST_DEV: "1", LOG_LEVEL: "silent" })).rejects.toThrow(
      "ended with 1 before it ran",
    );
  },
);

test("next start runs nothing with INNGEST_DEV in production", async () => {
  const server = await openNext({ INNGEST_DEV: "1", LOG_LEVEL: "silent" }).catch(() => null);
  if (!server) return;
  const response = await fetch(
    `${server.url}/api/inngest?fnId=parlance-send-deliveries&stepId=step`,
    { method: "POST", body: "{}" },
  );
  await server.close();
  expect(response.status).toBe(500);
});
