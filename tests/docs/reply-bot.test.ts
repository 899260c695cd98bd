import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { db } from "@/lib/platform/db";
import { call, newTenant } from "../support/api";

const folder = mkdtempSync(path.join(tmpdir(), "parlance-bot-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const guide = readFileSync("docs/guides/webhooks.mdx", "utf8");
const [, bot = ""] = /^```javascript title="bot\.mjs"\n([\s\S]*?)^```$/m.exec(guide) ?? [];

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("the bot of the guide replies once to a customer's message, with no API key", async () => {
  const port = await freePort();
  const tenant = await newTenant();
  const url = `http://127.0.0.1:${port}/`;
  const webhook = await call(tenant, "POST", "/webhooks", {
    url,
    events: ["message.received"],
    acceptsReplies: true,
  });
  writeFileSync(path.join(folder, "bot.mjs"), bot);
  const running = spawn(process.execPath, ["bot.mjs"], {
    cwd: folder,
    env: { ...process.env, PARLANCE_WEBHOOK_SECRET: webhook.body.secret, PORT: String(port) },
    stdio: ["ignore", "inherit", "inherit"],
  });
  try {
    const status = () => fetch(url, { method: "POST", body: "{}" }).then((sent) => sent.status);
    // Without a signature it refuses.
    await vi.waitFor(async () => expect(await status()).toBe(400), { timeout: 120_000 });

    const { body: conversation } = await call(tenant, "POST", "/conversations", {
      channelId: "web",
      message: "Hello!",
    });
    const { id } = await db().delivery.findFirstOrThrow({
      where: { webhookId: webhook.body.id },
    });
    const reference = { ...tenant.identity.partition, id };
    await attemptDelivery(reference);
    await call(tenant, "POST", `/webhooks/${webhook.body.id}/deliveries/${id}/resend`);
    await attemptDelivery(reference);

    const messages = await call(tenant, "GET", `/conversations/${conversation.id}/messages`);
    expect(messages.body.data.map(({ text }: { text: string }) => text)).toEqual([
      "Hello!",
      "You said: Hello!",
    ]);
    const { body: delivery } = await call(
      tenant,
      "GET",
      `/webhooks/${webhook.body.id}/deliveries/${id}`,
    );
    const messageId = messages.body.data[1].id;
    expect(delivery.attempts.map(({ reply }: { reply: unknown }) => reply)).toEqual([
      { messageId, problem: null },
      { messageId, problem: "already_replied" },
    ]);
  } finally {
    running.kill();
  }
});

test("the bot has about twenty lines", () => {
  expect(
    bot
      .trim()
      .split("\n")
      .filter((line) => line !== "").length,
  ).toBeLessThanOrEqual(20);
});
