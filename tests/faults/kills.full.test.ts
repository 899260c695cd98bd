import { expect, test } from "vitest";
import { startInstallation } from "../support/installation";
import { startReceiver } from "../support/receiver";
import { newClient } from "./client";
import { expectNothingLost } from "./expect-nothing-lost";
import { killPart, parts } from "./inflict";

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

test(
  `nothing acknowledged is lost and nothing is done twice, through twenty kills (seed ${seed})`,
  {
    // More than its parts may take, each of which says what it waited for.
    timeout: 900_000,
  },
  () => expectNothingLost({ seed, kills: 20, crashes: 1, writes: 500, seconds: 10, writers: 16 }),
);

test("an event whose receiver was down, and whose senders were killed, arrives once all are back", async () => {
  const installation = await startInstallation({
    // Soon, and for long enough on any machine.
    environment: { WEBHOOK_RETRY_SCHEDULE: "1,2,4,8,16,32,64" },
    isQuiet: true,
  });
  const client = newClient({ url: installation.url, key: installation.keys.test });
  const insist = (path: string, body: object, key: string) =>
    client.insist({ method: "POST", path, body: JSON.stringify(body), key });
  const late = await startReceiver();
  await late.close();
  await insist("/webhooks", { url: late.url, events: ["message.received"] }, "webhook");
  const { text } = await insist(
    "/conversations",
    { channelId: "web", message: "Are you there?" },
    "conversation",
  );
  await Promise.all(parts.map((part) => killPart(installation, part, 0)));

  const back = await startReceiver(undefined, Number(new URL(late.url).port));
  await back.received(1);
  expect(JSON.parse(back.requests[0]?.body ?? "")).toMatchObject({
    type: "message.received",
    data: { object: { conversationId: JSON.parse(text).id } },
  });
  await Promise.all([client.close(), back.close()]);
  await installation.stop();
});
