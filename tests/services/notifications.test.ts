import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  confirmAccess,
  countAllSuspendedAccess,
  listSuspendedAccess,
} from "@/lib/access-review/service";
import { createApiKey } from "@/lib/api-keys/service";
import { createPasswordReset, resetPassword } from "@/lib/auth/password-reset";
import { deleteConversation } from "@/lib/conversations/delete";
import { postMessage } from "@/lib/conversations/messages";
import { createConversation } from "@/lib/conversations/service";
import { updateConversation } from "@/lib/conversations/update";
import { openMail } from "@/lib/mail/service";
import {
  changeMutedNotifications,
  listNotifications,
  markNotificationsRead,
} from "@/lib/notifications/service";
import { mutate, reader, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { setCurrentTime } from "@/lib/platform/time";
import { changeAlertTarget, getAlertTarget } from "@/lib/webhooks/alerts";
import { disableWebhook } from "@/lib/webhooks/disable";
import { mailWarnings } from "@/lib/webhooks/mail-warnings";
import { sendAlerts } from "@/lib/webhooks/send-alerts";
import { createWebhook } from "@/lib/webhooks/service";
import {
  as,
  auditOf,
  newMember,
  newOrganization,
  someDevice,
  type TestPerson,
} from "../support/people";
import { holdResponses, type Receiver, startReceiver } from "../support/receiver";

beforeEach(() => {
  Object.assign(env(), { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "parlance@example.com" });
});
afterEach(() => {
  Object.assign(env(), { SMTP_URL: undefined, MAIL_FROM: undefined });
  setCurrentTime(null);
});

async function newTeam() {
  const { tenant, owner } = await newOrganization();
  const verified = { emailVerifiedAt: new Date() };
  await db().user.update({ where: { id: owner.id }, data: verified });
  const member = await newMember(tenant.id, "MEMBER");
  return { tenant, owner, member };
}

const pageOf = (id: string) => `conversations/${id}`;
const plain = { priority: "NORMAL", tags: [], metadata: {} };
const newConversation = (by: TestPerson) =>
  mutate(as(by), (caller) =>
    createConversation(caller, { channelId: "web", subject: "Refund", ...plain } as never),
  );
const assign = (by: TestPerson, id: string, assigneeId: string | null) =>
  mutate(as(by), (caller) => updateConversation(caller, id, { assigneeId }));
const write = (by: TestPerson, id: string, text: string) =>
  mutate(as(by), (caller) =>
    postMessage(caller, id, {
      text,
      metadata: {},
      direction: "INTERNAL",
      author: { type: "USER", id: by.id, name: by.name },
    } as never),
  );
const sentencesOf = async (person: TestPerson) =>
  (await listNotifications(reader(as(person)))).map(({ sentence }) => sentence);
const mailsTo = async ({ email }: TestPerson) => {
  const mails = await db().mail.findMany({ where: { recipient: email } });
  return mails.map((mail) => ({ kind: mail.kind, text: openMail(mail)?.text ?? "" }));
};

describe("a member", () => {
  test("is notified of an assignment by someone else, in the dashboard and by mail", async () => {
    const { owner, member } = await newTeam();
    const { id } = await newConversation(owner);
    await assign(owner, id, member.id);
    await assign(owner, id, member.id);
    await assign(owner, id, null);
    await assign(owner, id, owner.id);

    expect(await listNotifications(reader(as(member)))).toMatchObject([
      {
        sentence: "Ada assigned you a conversation",
        page: `conversations/${id}`,
        about: "Refund",
        isUnread: true,
      },
    ]);
    expect(await mailsTo(member)).toMatchObject([
      { kind: "conversation-assigned", text: expect.stringContaining(`/test/conversations/${id}`) },
    ]);
    expect(await sentencesOf(owner)).toEqual([]);
    expect(await listNotifications(reader(as(member, "live")))).toEqual([]);
  });

  test("is notified of an assignment by an API key", async () => {
    const { owner, member } = await newTeam();
    const { id } = await newConversation(owner);
    const { apiKey } = await mutate(as(owner), (caller) =>
      createApiKey(caller, { name: "key", scopes: ["write:conversations"] }),
    );
    const key = { ...as(owner), actor: { type: "API_KEY" as const, id: apiKey.id } };
    await mutate(key, (caller) => updateConversation(caller, id, { assigneeId: member.id }));
    expect(await sentencesOf(member)).toEqual(["An API key assigned you a conversation"]);
  });

  test("is notified when another member mentions them, and not by their own or a customer's text", async () => {
    const { tenant, owner, member } = await newTeam();
    const stranger = (await newTeam()).owner;
    const { id } = await newConversation(owner);
    await write(owner, id, `@${member.name} and @${owner.name}, please look`);
    await mutate(system({ tenantId: tenant.id, environment: "test" }), (caller) =>
      postMessage(caller, id, {
        text: `@${member.name}`,
        direction: "INBOUND",
        metadata: {},
      } as never),
    );
    expect(await sentencesOf(member)).toEqual(["Ada mentioned you"]);
    expect(await sentencesOf(owner)).toEqual([]);
    expect(await sentencesOf(stranger)).toEqual([]);
    expect((await mailsTo(member)).map(({ kind }) => kind)).toEqual(["conversation-mentioned"]);
  });

  test("is notified of a mention in the first message of a conversation", async () => {
    const { owner, member } = await newTeam();
    const first = (author?: object) => ({
      ...{ channelId: "web", ...plain },
      message: { text: `@${member.email}`, direction: "OUTBOUND", metadata: {}, author },
    });
    const start = (message: object) =>
      mutate(as(owner), (caller) => createConversation(caller, message as never));
    const { id } = await start(first({ type: "USER", id: owner.id, name: owner.name }));
    await start(first({ type: "AGENT" }));
    expect(await listNotifications(reader(as(member)))).toMatchObject([
      { sentence: "Ada mentioned you", page: pageOf(id) },
    ]);
  });

  test("gets one mail for many assignments within ten minutes, and all of them in the dashboard", async () => {
    const { owner, member } = await newTeam();
    setCurrentTime(() => new Date("2026-01-01T12:00:00Z"));
    for (let count = 0; count < 3; count++)
      await assign(owner, (await newConversation(owner)).id, member.id);
    expect(await sentencesOf(member)).toHaveLength(3);
    expect(await mailsTo(member)).toHaveLength(1);
    setCurrentTime(() => new Date("2026-01-01T12:10:00Z"));
    await assign(owner, (await newConversation(owner)).id, member.id);
    expect(await mailsTo(member)).toHaveLength(2);
  });

  test("gets no notifications that they turned off", async () => {
    const { owner, member } = await newTeam();
    const { id } = await newConversation(owner);
    await mutate(as(member), (caller) =>
      changeMutedNotifications(caller, ["assigned:mail", "mentioned:dashboard"]),
    );
    await assign(owner, id, member.id);
    await write(owner, id, `@${member.name}`);
    expect(await sentencesOf(member)).toEqual(["Ada assigned you a conversation"]);
    expect((await mailsTo(member)).map(({ kind }) => kind)).toEqual(["conversation-mentioned"]);
  });

  test("marks their own notifications as read, and those of a deleted conversation disappear", async () => {
    const { owner, member } = await newTeam();
    const [first, second] = [await newConversation(owner), await newConversation(owner)];
    for (const { id } of [first, second]) await assign(owner, id, member.id);
    const unread = async () =>
      (await listNotifications(reader(as(member)), { isUnread: true })).map(({ page }) => page);
    await mutate(as(owner), (caller) => markNotificationsRead(caller, null));
    expect(await unread()).toEqual([second.id, first.id].map(pageOf));
    await mutate(as(member), (caller) => markNotificationsRead(caller, pageOf(first.id)));
    expect(await unread()).toEqual([pageOf(second.id)]);
    await mutate(as(owner), (caller) => deleteConversation(caller, second.id));
    expect(await unread()).toEqual([]);
  });
});

describe("alerts of webhooks", () => {
  const receivers: Receiver[] = [];
  afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())));
  async function newReceiver() {
    const receiver = await startReceiver();
    receivers.push(receiver);
    return receiver;
  }

  const hookUrl = "https://example.com/hooks/hidden?token=hunter2";

  async function newFailing(owner: TestPerson) {
    const { partition } = as(owner);
    const input = {
      url: hookUrl,
      events: ["*"],
      metadata: {},
    };
    const { id } = await mutate(as(owner), (caller) =>
      createWebhook(caller, { ...input, description: null } as never),
    );
    await db().webhook.update({
      where: { tenantId_environment_id: { ...partition, id } },
      data: { consecutiveFailures: 50 },
    });
    const createdAt = new Date();
    await db().webhookWarning.create({
      data: { ...partition, webhookId: id, failures: 50, createdAt },
    });
    return { id, partition };
  }

  const textsOf = (received: { body: string }[]) =>
    received.map(({ body }) => (JSON.parse(body) as { text: string }).text);

  test("are posted to the URL, and those who turned the mail off get none", async () => {
    const { tenant, owner } = await newTeam();
    const receiver = await newReceiver();
    await mutate(as(owner), (caller) => changeAlertTarget(caller, `${receiver.url}/services/x`));
    const { id, partition } = await newFailing(owner);
    await mutate(as(owner), (caller) => changeMutedNotifications(caller, ["webhooks:mail"]));
    await mailWarnings(100);
    await disableWebhook(partition, id, "GONE", hookUrl);
    await sendAlerts(100);

    const [hello, failing, disabled] = textsOf(receiver.requests);
    expect(hello).toContain(`webhooks of ${tenant.name}`);
    expect(failing).toContain("*A webhook keeps failing*");
    expect(failing).toContain("to https://example.com/… failed");
    expect(disabled).toContain("https://example.com/…");
    expect(`${failing}${disabled}`).not.toMatch(/hidden|hunter2/);
    expect(failing).toContain(`/test/webhooks/${id}|`);
    expect(disabled).toContain("410 Gone");
    const kinds = (await mailsTo(owner)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind.startsWith("webhook-"))).toEqual([]);
    expect(await getAlertTarget(reader(as(owner)))).toMatchObject({
      host: new URL(receiver.url).host,
      newest: { status: "SENT", error: null },
    });
  });

  test.each([503, 302])("are sent again after a %i, and not after a 404", async (status) => {
    const { owner } = await newTeam();
    const receiver = await newReceiver();
    const start = Date.now();
    const at = (ms: number) => setCurrentTime(() => new Date(start + ms));
    at(0);
    receiver.respondWith(status);
    await mutate(as(owner), (caller) => changeAlertTarget(caller, receiver.url));
    const newest = async () => (await getAlertTarget(reader(as(owner))))?.newest;
    await sendAlerts(100);
    expect(await newest()).toMatchObject({ status: "PENDING", error: `status ${status}` });
    await sendAlerts(100);
    expect(receiver.requests).toHaveLength(1);
    receiver.respondWith(404);
    at(31_000);
    await sendAlerts(100);
    expect(await newest()).toMatchObject({ status: "FAILED", error: "status 404" });
  });

  test("of others are sent while the URL of one cannot be decrypted", async () => {
    const [unreadable, other] = [(await newTeam()).owner, (await newTeam()).owner];
    const receiver = await newReceiver();
    for (const owner of [unreadable, other])
      await mutate(as(owner), (caller) => changeAlertTarget(caller, receiver.url));
    await db().alertTarget.update({
      where: { tenantId: unreadable.tenantId },
      data: { sealedUrl: "gone.AAAA" },
    });
    await sendAlerts(100);
    const newest = async (owner: TestPerson) => (await getAlertTarget(reader(as(owner))))?.newest;
    expect(await newest(other)).toMatchObject({ status: "SENT" });
    expect(await newest(unreadable)).toMatchObject({
      status: "PENDING",
      error: expect.stringContaining("SECRET_KEYS"),
    });
  });

  test("of an organization whose chat does not respond wait one after the other, and delay no one else's", async () => {
    const [slow, quick] = [await newReceiver(), await newReceiver()];
    const { release } = holdResponses(slow);
    const slowOwners = await Promise.all([1, 2, 3].map(async () => (await newTeam()).owner));
    const { owner } = await newTeam();
    const setTarget = (by: TestPerson, url: string) =>
      mutate(as(by), (caller) => changeAlertTarget(caller, url));
    for (const by of slowOwners) {
      await setTarget(by, slow.url);
      const { id, partition } = await newFailing(by);
      await disableWebhook(partition, id, "GONE", hookUrl);
    }
    await setTarget(owner, quick.url);
    const late = await newTeam();

    const sending = sendAlerts(100);
    await quick.received(1);
    // All of the others are still waiting for a response, with one alert each.
    await slow.received(3);
    expect(slow.requests).toHaveLength(3);
    for (const { tenantId } of slowOwners)
      expect(
        await db().alert.findMany({ where: { tenantId }, orderBy: { id: "asc" } }),
      ).toMatchObject([
        { attemptCount: 1, status: "PENDING", error: null },
        { attemptCount: 0, status: "PENDING" },
      ]);
    // Also one that is queued by now.
    await setTarget(late.owner, quick.url);
    await quick.received(2);
    expect(slow.requests).toHaveLength(3);
    release();
    await sending;
    expect(slow.requests).toHaveLength(6);
  });

  test("of an organization whose chat is down wait together", async () => {
    const { owner } = await newTeam();
    const receiver = await newReceiver();
    receiver.respondWith(503);
    await mutate(as(owner), (caller) => changeAlertTarget(caller, receiver.url));
    const { id, partition } = await newFailing(owner);
    await disableWebhook(partition, id, "GONE", hookUrl);
    await sendAlerts(100);
    expect(receiver.requests).toHaveLength(1);
    receiver.respondWith(200);
    setCurrentTime(() => new Date(Date.now() + 31_000));
    await sendAlerts(100);
    expect(receiver.requests).toHaveLength(3);
  });

  test("are suspended with the rest of what an unverified user set up, until someone confirms them", async () => {
    Object.assign(env(), { SMTP_URL: undefined, MAIL_FROM: undefined });
    const { tenant, owner } = await newOrganization();
    const receiver = await newReceiver();
    await mutate(as(owner), (caller) => changeAlertTarget(caller, receiver.url));
    const { id, partition } = await newFailing(owner);
    const reset = await createPasswordReset(owner.email);
    const token = reset?.url.split("/").at(-1) ?? "";
    await resetPassword(token, "another horse battery", someDevice);

    expect(await countAllSuspendedAccess(reader(as(owner)))).toBe(2);
    expect(await listSuspendedAccess(reader(as(owner)))).toMatchObject({
      alertTargets: [{ id: tenant.id, host: new URL(receiver.url).host }],
    });
    expect(await getAlertTarget(reader(as(owner)))).toMatchObject({ isSuspended: true });
    await mailWarnings(100);
    await disableWebhook(partition, id, "GONE", hookUrl);
    await sendAlerts(100);
    expect(receiver.requests).toHaveLength(0);

    await mutate(as(owner), (caller) =>
      confirmAccess(caller, { kind: "alertTargets", id: tenant.id }),
    );
    await sendAlerts(100);
    expect(textsOf(receiver.requests)).toEqual([expect.stringContaining("are sent here")]);
  });

  test("that another member set last are not suspended with what an unverified user set up", async () => {
    Object.assign(env(), { SMTP_URL: undefined, MAIL_FROM: undefined });
    const { tenant, owner } = await newOrganization();
    const admin = await newMember(tenant.id, "ADMIN");
    const receiver = await newReceiver();
    const suspended = async () => {
      const reset = await createPasswordReset(admin.email);
      await resetPassword(reset?.url.split("/").at(-1) ?? "", "another horse battery", someDevice);
      return (await listSuspendedAccess(reader(as(owner)))).alertTargets.length;
    };
    await mutate(as(admin), (caller) => changeAlertTarget(caller, receiver.url));
    await mutate(as(owner), (caller) => changeAlertTarget(caller, receiver.url));
    expect(await suspended()).toBe(0);
    const verified = { emailVerifiedAt: null };
    await db().user.update({ where: { id: admin.id }, data: verified });
    await mutate(as(admin), (caller) => changeAlertTarget(caller, receiver.url));
    expect(await suspended()).toBe(1);
  });

  test("never go to a private address, and the URL is encrypted and not in the audit log", async () => {
    const { tenant, owner } = await newTeam();
    const change = (url: string | null) =>
      mutate(as(owner), (caller) => changeAlertTarget(caller, url));
    for (const url of ["http://169.254.169.254/x", "not a url", "https://10.0.0.1/"])
      await expect(change(url)).rejects.toMatchObject({ kind: "validation" });
    await change("https://hooks.example.com/services/very-secret");
    const stored = await db().alertTarget.findUniqueOrThrow({ where: { tenantId: tenant.id } });
    await change(null);
    expect(await db().alert.count({ where: { tenantId: tenant.id } })).toBe(0);
    const entries = (await auditOf(tenant.id)).filter(({ action }) => action === "alerts.changed");
    expect(entries).toMatchObject([
      { changes: { before: { host: null }, after: { host: "hooks.example.com" } } },
      { changes: { before: { host: "hooks.example.com" }, after: { host: null } } },
    ]);
    expect(JSON.stringify([stored, entries])).not.toContain("very-secret");
  });
});
