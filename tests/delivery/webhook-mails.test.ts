import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { claimDelivery } from "@/lib/deliveries/engine/claim";
import { disableIfFailing } from "@/lib/deliveries/engine/disable-if-failing";
import { recordAttempts } from "@/lib/deliveries/engine/record";
import { sendMails } from "@/lib/mail/send-mails";
import { db } from "@/lib/platform/db";
import { createAccount } from "@/lib/users/service";
import { mailWarnings } from "@/lib/webhooks/mail-warnings";
import type { Role } from "@/prisma/generated/enums";
import { later } from "../support/later";
import { startMailServer } from "../support/mail-server";
import { newWebhook, raiseEvent, type VirtualClock, virtualClock } from "../support/webhooks";

const server = await startMailServer();
// The environment is parsed at the first call of env(), which comes later.
Object.assign(process.env, {
  SMTP_URL: server.url,
  MAIL_FROM: "Parlance <no-reply@parlance.example>",
});
afterAll(() => server.close());

let clock: VirtualClock;
beforeEach(async () => {
  clock = virtualClock();
  await db().mail.deleteMany();
  await db().webhookWarning.deleteMany();
  server.mails.length = 0;
});
afterEach(() => clock.release());

type TestWebhook = Awaited<ReturnType<typeof newWebhook>>;

let accounts = 0;

/** A webhook of a tenant that has a member in each role. */
async function newTenantsWebhook(): Promise<TestWebhook> {
  const number = ++accounts;
  const account = (role: Role) => ({
    ...{ organization: "Engines", name: "Ada", passwordHash: "none" },
    email: `${role.toLowerCase()}@${number}.example`,
  });
  const { tenant } = await db().$transaction((transaction) =>
    createAccount(transaction, account("OWNER")),
  );
  for (const role of ["ADMIN", "MEMBER", "VIEWER"] as const) {
    const { user } = await db().$transaction((transaction) =>
      createAccount(transaction, account(role)),
    );
    await db().membership.create({
      data: { tenantId: tenant.id, userId: user.id, role, createdAt: clock.now() },
    });
  }
  return newWebhook("http://127.0.0.1:9/hook", { tenantId: tenant.id, environment: "live" });
}

/** As if so many probes in a row had failed; the next one ends in this way. */
async function probe(
  webhook: TestWebhook,
  failuresBefore: number,
  statusCode = 500,
): Promise<void> {
  await db().webhook.updateMany({
    where: { id: webhook.id },
    data: { consecutiveFailures: failuresBefore, probeAfter: null },
  });
  const [reference] = await raiseEvent(webhook.partition);
  const delivery = reference && (await claimDelivery(reference, clock.now()));
  if (!delivery) throw new Error("the delivery could not be claimed");
  const result = { statusCode, response: "", durationMs: 1 };
  const attempts = [{ delivery, result, startedAt: clock.now(), trigger: "AUTOMATIC" as const }];
  await disableIfFailing(attempts, await recordAttempts(attempts, clock.now()));
  clock.advance(1);
}

/** What arrived since the last time, by address: `owner: Subject`. */
async function arrived(): Promise<string[]> {
  await Promise.all([mailWarnings(100), mailWarnings(100)]);
  await sendMails(100);
  return server.mails
    .splice(0)
    .map(
      ({ to, source }) =>
        `${to[0]?.split("@")[0]}: ${/^Subject: (.*)$/m.exec(source)?.[1]?.trim()}`,
    )
    .sort();
}

const keepsFailing = ["admin: A webhook keeps failing", "owner: A webhook keeps failing"];
const wasDisabled = ["admin: A webhook was disabled", "owner: A webhook was disabled"];

test("owners and admins are notified at 50 and at 90 failures and when the webhook is disabled, once each", async () => {
  const webhook = await newTenantsWebhook();
  await probe(webhook, 48);
  expect(await arrived()).toEqual([]);
  await probe(webhook, 49);
  expect(await arrived()).toEqual(keepsFailing);
  await probe(webhook, 50);
  expect(await arrived()).toEqual([]);
  await probe(webhook, 89);
  expect(await arrived()).toEqual(keepsFailing);
  await probe(webhook, 99);
  expect(await arrived()).toEqual(wasDisabled);
  expect(await arrived()).toEqual([]);
});

test("after a success they are notified again", async () => {
  const webhook = await newTenantsWebhook();
  await probe(webhook, 49);
  expect(await arrived()).toEqual(keepsFailing);
  await probe(webhook, 50, 200);
  await probe(webhook, 49);
  expect(await arrived()).toEqual(keepsFailing);
});

test("one mail for a webhook that passes both numbers before the job runs, and only the last one if it is disabled by then", async () => {
  const [failing, disabled] = [await newTenantsWebhook(), await newTenantsWebhook()];
  await probe(failing, 49);
  await probe(failing, 89);
  expect(await arrived()).toEqual(keepsFailing);
  await probe(disabled, 89);
  await probe(disabled, 99);
  expect(await arrived()).toEqual(wasDisabled);
});

test("a warning whose transaction fails does not hold up another one, and is sent later", async () => {
  const [bad, good] = [await newTenantsWebhook(), await newTenantsWebhook()];
  for (const webhook of [bad, good]) await probe(webhook, 49);
  // As if the process died before it committed.
  const condition = `mailed_at IS NULL OR webhook_id <> '${bad.id}'`;
  const fails = `ALTER TABLE webhook_warnings ADD CONSTRAINT dies CHECK (${condition})`;
  await db().$executeRawUnsafe(fails);
  for (let run = 0; run < 2; run++) await mailWarnings(1);
  expect(await arrived()).toEqual(keepsFailing);
  await db().$executeRawUnsafe("ALTER TABLE webhook_warnings DROP CONSTRAINT dies");
  expect(await later(60_000, arrived)).toEqual(keepsFailing);
});

test("410 is reported immediately, and events from days ago are not", async () => {
  const [gone, old] = [await newTenantsWebhook(), await newTenantsWebhook()];
  await probe(gone, 0, 410);
  expect(await arrived()).toEqual(wasDisabled);
  await probe(old, 49);
  clock.advance(90_000);
  expect(await arrived()).toEqual([]);
});
