import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import { getDelivery } from "@/lib/deliveries/service";
import { queueMail } from "@/lib/mail/service";
import { mutate, system } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { env, parseEnv } from "@/lib/platform/env";
import {
  openSecret,
  sealSecret,
  storedResponseContext,
  webhookSecretContext,
} from "@/lib/platform/secret-box";
import { openSamples, requireUsableKeys } from "@/lib/secrets/service";
import { rotateSecret } from "@/lib/webhooks/rotate-secret";
import { updateWebhook } from "@/lib/webhooks/service";
import { runAdmin } from "../support/admin";
import { type Receiver, startReceiver } from "../support/receiver";
import {
  attemptsOf,
  countByStatus,
  findWebhook,
  newPartition,
  newWebhook,
  raiseEvent,
  type VirtualClock,
  virtualClock,
} from "../support/webhooks";

let receiver: Receiver;
let clock: VirtualClock;
beforeEach(async () => {
  receiver = await startReceiver();
  clock = virtualClock();
  await db().webhookSecret.deleteMany();
  await db().idempotencyRecord.deleteMany();
});
afterEach(async () => {
  clock.release();
  await receiver.close();
});

type TestWebhook = Awaited<ReturnType<typeof newWebhook>>;

/** As if the master key it was sealed with were not in SECRET_KEYS. */
const setKeyId = ({ id }: TestWebhook, keyId: string) =>
  pool().query(
    "UPDATE webhook_secrets SET ciphertext = $2 || '.' || split_part(ciphertext, '.', 2) WHERE webhook_id = $1",
    [id, keyId],
  );

const currentKeyId = env().SECRET_KEYS[0]?.id ?? "";

test("a delivery that cannot be signed waits, uses no attempt, counts as no failure, and is sent when the key is back", async () => {
  const webhook = await newWebhook(receiver.url);
  const [delivery] = await raiseEvent(webhook.partition);
  if (!delivery) throw new Error("the event reached no webhook");
  await setKeyId(webhook, "lost");

  // Longer than the whole schedule, and more often than the number of attempts.
  for (let round = 0; round < 20; round++) {
    const outcome = await attemptDelivery(delivery);
    expect(outcome).toMatchObject({ state: "waiting", retryAt: expect.any(String) });
    expect(await attemptDelivery(delivery)).toEqual(outcome);
    clock.advanceTo(new Date(outcome.retryAt ?? 0));
    clock.advance(2 * 3_600);
  }
  expect(receiver.requests).toHaveLength(0);
  const shown = await mutate(system(webhook.partition), (caller) =>
    getDelivery(caller, webhook.id, delivery.id),
  );
  expect(shown).toMatchObject({ status: "PENDING", attempts: [] });
  expect(await findWebhook(webhook.partition, webhook.id)).toMatchObject({
    consecutiveFailures: 0,
    lastFailureAt: null,
  });
  expect(await db().deliveryDay.count({ where: webhook.partition })).toBe(0);

  await setKeyId(webhook, currentKeyId);
  expect(await attemptDelivery(delivery)).toEqual({ state: "delivered", retryAt: null });
  expect(
    (await attemptsOf(webhook.partition, delivery.id)).map(({ number, errorCode }) => [
      number,
      errorCode,
    ]),
  ).toEqual([[1, null]]);
});

test("a webhook whose secret cannot be opened does not delay others, and is not claimed again for the time of a lease", async () => {
  const partition = await newPartition();
  const [sealed, healthy] = [
    await newWebhook(receiver.url, partition),
    await newWebhook(receiver.url, partition),
  ];
  await setKeyId(sealed, "lost");
  const loop = startDelivering();
  for (let index = 0; index < 20; index++) await raiseEvent(partition);
  loop.wake();
  await expect.poll(() => countByStatus(partition, healthy.id)).toEqual({ DELIVERED: 20 });
  await loop.stop();
  expect(await countByStatus(partition, sealed.id)).toEqual({ PENDING: 20 });
  // No more than were claimed before the first one turned out to be unsignable.
  const claimed = await db().delivery.count({
    where: { ...partition, webhookId: sealed.id, leaseHolder: { not: null } },
  });
  expect(claimed).toBeLessThanOrEqual(4);
});

test("no process starts with keys that cannot open the stored secrets, even if one has the same name", async () => {
  await newWebhook(receiver.url);
  await requireUsableKeys();
  const { SECRET_KEYS } = env();
  const [name] = currentKeyId.split("-");
  const strange = parseEnv({
    ...process.env,
    SECRET_KEYS: `${name}:${randomBytes(32).toString("base64")}`,
  }).SECRET_KEYS;
  env().SECRET_KEYS = strange;
  await expect(requireUsableKeys()).rejects.toThrow(
    `SECRET_KEYS cannot decrypt the secrets in this database. They are encrypted with ${currentKeyId}, and SECRET_KEYS has ${strange[0]?.id}`,
  );
  env().SECRET_KEYS = [...strange, ...SECRET_KEYS];
  await requireUsableKeys();
  env().SECRET_KEYS = strange;
  env().ACCEPT_LOST_SECRET_KEYS = true;
  await requireUsableKeys();
  env().ACCEPT_LOST_SECRET_KEYS = false;
  env().SECRET_KEYS = SECRET_KEYS;
});

test("doctor opens samples of every kind of sealed value, and counts an altered one", async () => {
  const webhook = await newWebhook(receiver.url);
  const mail = {
    kind: "password-reset",
    name: "Ada",
    url: "https://example.com/",
    expiresAt: clock.now(),
  } as const;
  await queueMail(db(), "ada@example.com", mail);
  const record = {
    fingerprint: new Uint8Array(32),
    status: 201,
    createdAt: clock.now(),
    expiresAt: clock.now(),
    isEncrypted: true,
  };
  // Sealed for another key of idempotency, as if one row had been copied over another.
  const body = sealSecret("{}", storedResponseContext(webhook.partition, "another"));
  await db().idempotencyRecord.create({
    data: { ...webhook.partition, key: "copied", ...record, body },
  });
  expect(await openSamples()).toEqual({
    webhookSecrets: { sampled: 1, unopened: 0 },
    webhookHeaders: { sampled: 0, unopened: 0 },
    storedResponses: { sampled: 1, unopened: 1 },
    waitingMails: { sampled: 1, unopened: 0 },
    authenticatorApps: { sampled: 0, unopened: 0 },
    alertTargets: { sampled: 0, unopened: 0 },
  });
  await db().mail.deleteMany();
});

const oldKeys = process.env.SECRET_KEYS ?? "";
const newKey = `k2:${randomBytes(32).toString("base64")}`;
const newKeyId = parseEnv({ ...process.env, SECRET_KEYS: newKey }).SECRET_KEYS[0]?.id ?? "";
const bothKeys = { SECRET_KEYS: `${newKey},${oldKeys}` };

test("secrets:reencrypt seals everything with the first key, and doctor says what is still needed", async () => {
  const webhooks = [];
  for (let index = 0; index < 3; index++) webhooks.push(await newWebhook(receiver.url));
  const [first, second, third] = webhooks;
  if (!first || !second || !third) throw new Error("there are no webhooks");
  // More than a batch, and one that no key opens.
  const context = webhookSecretContext(first.partition, first.id);
  const rows = Array.from({ length: 450 }, (_, index) => ({
    version: index + 2,
    ciphertext: sealSecret("whsec_x", context),
    hint: "",
  }));
  await db().webhookSecret.createMany({
    data: rows.map((row) => ({
      ...first.partition,
      webhookId: first.id,
      createdAt: clock.now(),
      ...row,
    })),
  });
  await setKeyId(third, "lost");
  await mutate(system(second.partition), (caller) =>
    updateWebhook(caller, second.id, { headers: { "X-Team": "support" } }),
  );
  const record = {
    fingerprint: new Uint8Array(32),
    status: 201,
    createdAt: clock.now(),
    expiresAt: clock.now(),
  };
  const sealedResponse = sealSecret("{}", storedResponseContext(second.partition, "sealed"));
  await db().idempotencyRecord.create({
    data: {
      ...second.partition,
      key: "sealed",
      ...record,
      body: sealedResponse,
      isEncrypted: true,
    },
  });
  await db().idempotencyRecord.create({
    data: { ...second.partition, key: "plain", ...record, body: "{}" },
  });
  const mail = {
    kind: "password-reset",
    name: "Ada",
    url: "https://example.com/",
    expiresAt: clock.now(),
  } as const;
  await queueMail(db(), "ada@example.com", mail);

  const before = await runAdmin(["doctor"], bothKeys);
  expect(before.output).toMatch(
    /WRONG {2}secrets at rest: .*: 1 webhook secrets with lost\. Add these keys/,
  );
  expect(before.exitCode).toBe(1);
  const incomplete = await runAdmin(["secrets:reencrypt"], bothKeys);
  expect(JSON.parse(incomplete.output)).toEqual({
    masterKey: newKeyId,
    webhookSecrets: { reencrypted: 452, unopened: { lost: 1 } },
    webhookHeaders: { reencrypted: 1, unopened: {} },
    storedResponses: { reencrypted: 1, unopened: {} },
    waitingMails: { reencrypted: 1, unopened: {} },
    authenticatorApps: { reencrypted: 0, unopened: {} },
    alertTargets: { reencrypted: 0, unopened: {} },
  });
  expect(incomplete.exitCode).toBe(1);

  await setKeyId(third, currentKeyId);
  expect((await runAdmin(["doctor"], bothKeys)).output).toMatch(
    new RegExp(
      `ok {5}secrets at rest: still sealed with an older key: 1 webhook secrets with ${currentKeyId}\\..*secrets:reencrypt`,
    ),
  );
  const complete = await runAdmin(["secrets:reencrypt"], bothKeys);
  expect([JSON.parse(complete.output).webhookSecrets, complete.exitCode]).toEqual([
    { reencrypted: 1, unopened: {} },
    0,
  ]);
  expect((await runAdmin(["doctor"], bothKeys)).output).toContain(
    `secrets at rest: all sealed with ${newKeyId}; ${currentKeyId} is no longer needed`,
  );

  const stored = await db().webhookSecret.findMany({
    where: { webhookId: { in: webhooks.map(({ id }) => id) } },
  });
  expect(stored.every(({ ciphertext }) => ciphertext.startsWith(`${newKeyId}.`))).toBe(true);
  const records = await db().idempotencyRecord.findMany({
    where: second.partition,
    orderBy: { key: "asc" },
  });
  expect(records.map(({ body }) => body.split(".")[0])).toEqual(["{}", newKeyId]);

  // Back again, in the other order: then it is the same secret that this process opens.
  await runAdmin(["secrets:reencrypt"], { SECRET_KEYS: `${oldKeys},${newKey}` });
  const { ciphertext } = await db().webhookSecret.findFirstOrThrow({
    where: { webhookId: second.id },
  });
  expect(openSecret(ciphertext, webhookSecretContext(second.partition, second.id))).toBe(
    second.secret,
  );
});

test("secrets that are rotated while secrets:reencrypt runs stay what they were rotated to", async () => {
  const webhooks: TestWebhook[] = [];
  for (let index = 0; index < 5; index++) webhooks.push(await newWebhook(receiver.url));
  const newest = new Map<string, string>();
  let isDone = false;
  const running = runAdmin(["secrets:reencrypt"], bothKeys).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    for (const { partition, id } of webhooks) {
      const { secret } = await mutate(system(partition), (caller) =>
        rotateSecret(caller, id, { overlapSeconds: 0 }),
      );
      newest.set(id, secret);
    }
  }
  expect((await running).exitCode).toBe(0);
  await runAdmin(["secrets:reencrypt"], { SECRET_KEYS: `${oldKeys},${newKey}` });
  for (const { partition, id } of webhooks) {
    const [stored, ...older] = await db().webhookSecret.findMany({ where: { webhookId: id } });
    expect(openSecret(stored?.ciphertext ?? "", webhookSecretContext(partition, id))).toBe(
      newest.get(id),
    );
    expect(older).toEqual([]);
  }
});
