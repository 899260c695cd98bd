import { afterAll, beforeAll, expect, test } from "vitest";
import { type Installation, startInstallation } from "../support/installation";
import { startReceiver } from "../support/receiver";
import { newClient } from "./client";
import { crashDatabase, crashes, parts, pidOf } from "./inflict";

let installation: Installation;
beforeAll(async () => {
  installation = await startInstallation({ isQuiet: true });
});
afterAll(() => installation?.stop());

test.each(crashes)(
  "after PostgreSQL ended (%s), the same processes serve and send once it is back",
  async (crash) => {
    const client = newClient({ url: installation.url, key: installation.keys.test });
    const receiver = await startReceiver();
    const post = (path: string, body: object, key: string) =>
      client.insist({ method: "POST", path, body: JSON.stringify(body), key });
    await post(
      "/webhooks",
      { url: receiver.url, events: ["message.received"] },
      `webhook ${crash}`,
    );
    await post("/conversations", { channelId: "web", message: "Before" }, `before ${crash}`);
    await receiver.received(1);
    const pids = parts.map((part) => pidOf(installation, part));

    await crashDatabase(installation, crash);
    const backAt = performance.now();
    await post("/conversations", { channelId: "web", message: "After" }, `after ${crash}`);
    const respondedMs = performance.now() - backAt;
    await receiver.received(2);
    const deliveredMs = performance.now() - backAt;
    process.stdout.write(
      `${crash}: responded after ${Math.round(respondedMs)} ms, delivered after ${Math.round(deliveredMs)} ms\n`,
    );

    expect(parts.map((part) => pidOf(installation, part))).toEqual(pids);
    await Promise.all([client.close(), receiver.close()]);
  },
);
