import { expect, test } from "vitest";
import { mutate, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { deleteWebhook, getWebhook } from "@/lib/webhooks/service";
import { startWorker } from "../support/processes";
import { startReceiver } from "../support/receiver";
import {
  findWebhook,
  newPartition,
  newWebhook,
  raiseBacklog,
  raiseEvent,
} from "../support/webhooks";

const due = 200_000;

test(`with ${due} due deliveries of a dead webhook, other webhooks get theirs, and the dead one can be deleted`, {
  timeout: 600_000,
}, async () => {
  const receiver = await startReceiver();
  const partition = await newPartition();
  const dead = await newWebhook("http://127.0.0.1:9/", partition);
  await raiseBacklog(partition, dead.id, due, new Date(Date.now() - 3_600_000));
  const workers = await Promise.all([startWorker(), startWorker()]);
  const left = () => db().delivery.count({ where: { webhookId: dead.id } });
  const serveOthers = async () => {
    for (let index = 0; index < 7; index++) {
      const arrived = receiver.requests.length;
      const { partition: home } = await newWebhook(receiver.url);
      await raiseEvent(home);
      await receiver.received(arrived + 1);
    }
  };
  try {
    await expect
      .poll(async () => (await findWebhook(partition, dead.id)).consecutiveFailures)
      .toBeGreaterThan(0);
    await serveOthers();

    await mutate(system(partition), (caller) => deleteWebhook(caller, dead.id));
    await expect(
      mutate(system(partition), (caller) => getWebhook(caller, dead.id)),
    ).rejects.toMatchObject({ kind: "not-found" });
    // The transaction that deletes the webhook leaves its deliveries to a job, and other webhooks
    // do not wait for either.
    await serveOthers();
    expect(await left()).toBeGreaterThan(0);
    await expect.poll(left, { timeout: 500_000, interval: 500 }).toBe(0);
  } finally {
    await Promise.all(workers.map((worker) => worker.end("SIGKILL")));
    await receiver.close();
  }
});
