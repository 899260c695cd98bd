import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { db } from "@/lib/platform/db";
import { call, newTenant } from "../support/api";
import { freePort, startServing } from "../support/processes";

const folder = mkdtempSync(path.join(tmpdir(), "parlance-bot-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const guide = readFileSync("docs/guides/webhooks.mdx", "utf8");
const [, bot = ""] = /^```javascript title="bot\.mjs"\n([\s\S]*?)^```$/m.exec(guide) ?? [];

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
  const running = await startServing(process.execPath, ["bot.mjs"], url, {
    cwd: folder,
    env: { ...process.env, PARLANCE_WEBHOOK_SECRET: webhook.body.secret, PORT: String(port) },
  });
  try {
    const unsigned = await fetch(url, { method: "POST", body: "{}" });
    expect(unsigned.status).toBe(400);

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
