import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  confirmAccess,
  countAllSuspendedAccess,
  listSuspendedAccess,
} from "@/lib/access-review/service";
import { findKey } from "@/lib/api-keys/key-cache";
import { hashKey } from "@/lib/api-keys/key-format";
import { createApiKey, revokeApiKey, rollApiKey } from "@/lib/api-keys/service";
import {
  accessBeforeVerification,
  confirmEmail,
  findEmailVerification,
  resendEmailVerification,
} from "@/lib/auth/email-verification";
import { createPasswordReset, resetPassword } from "@/lib/auth/password-reset";
import { signInWithProvider } from "@/lib/auth/provider-sign-in";
import { signUp, signUpByInvitation } from "@/lib/auth/service";
import { enableWebhook } from "@/lib/deliveries/service";
import { openMail } from "@/lib/mail/service";
import { acceptInvitation, findInvitation } from "@/lib/members/accept-invitation";
import { createInvitation, revokeInvitation } from "@/lib/members/invitations";
import { changeRole, removeMember } from "@/lib/members/service";
import { mutate, reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { setCurrentTime } from "@/lib/platform/time";
import { findLiveSession } from "@/lib/sessions/service";
import { ProofNeeded } from "@/lib/step-up/proof";
import { AddressUnverified } from "@/lib/step-up/protected-actions";
import { createWebhook, deleteWebhook, getWebhook } from "@/lib/webhooks/service";
import type { Environment, Role } from "@/prisma/generated/enums";
import {
  as,
  auditOf,
  newAddress,
  newMember,
  newOrganization,
  newPerson,
  newSession,
  someDevice,
  type TestPerson,
} from "../support/people";

afterEach(() => setCurrentTime(null));

const tokenOf = (link: string | null) => link?.split("/").at(-1) ?? "";
let number = 0;

async function newKey(by: TestPerson, environment: Environment) {
  const { apiKey, key } = await mutate(as(by, environment), (caller) =>
    createApiKey(caller, { name: "key", scopes: ["read:usage"] }),
  );
  return { id: apiKey.id, isAccepted: async () => (await findKey(hashKey(key))) !== null };
}

async function newWebhook(by: TestPerson, environment: Environment) {
  const input = { url: "https://example.com/hook", description: null, events: ["*"], metadata: {} };
  const { id } = await mutate(as(by, environment), (caller) => createWebhook(caller, input));
  return { id, status: async () => (await getWebhook(reader(as(by, environment)), id)).status };
}

async function invite(by: TestPerson, email: string, role: Role) {
  const { id, link } = await mutate(as(by), (caller) => createInvitation(caller, { email, role }));
  return { id, token: tokenOf(link) };
}

/** A user signed up with someone else's address, and used the account. */
async function newSquat() {
  const { tenant, owner: squatter } = await newOrganization();
  const accomplice = await newPerson("Mallory");
  const coOwner = await invite(squatter, accomplice.email, "OWNER");
  await acceptInvitation({ ...accomplice, address: null }, coOwner.token);
  return {
    tenant,
    squatter,
    accomplice,
    accompliceSession: await newSession(accomplice.id),
    liveKey: await newKey(squatter, "live"),
    testKey: await newKey(squatter, "test"),
    liveWebhook: await newWebhook(squatter, "live"),
    open: await invite(squatter, newAddress(), "ADMIN"),
  };
}

const doors: Record<string, (squatter: TestPerson) => Promise<string>> = {
  "a password reset": async ({ email }) => {
    const made = await createPasswordReset(email);
    const reset = await resetPassword(
      tokenOf(made?.url ?? null),
      "another horse battery",
      someDevice,
    );
    return reset?.outcome === "signed-in" ? reset.sessionId : "";
  },
  "a linked provider": async ({ email }) => {
    const arrival = {
      provider: "GITHUB" as const,
      accountId: `recovery-${++number}`,
      name: "Ada",
      email,
    };
    const result = await signInWithProvider(
      arrival,
      { ...someDevice, address: `10.7.0.${number}` },
      null,
    );
    return result.outcome === "signed-in" ? result.sessionId : "";
  },
};

test.each(Object.entries(doors))(
  "%s suspends everything a squatter made before the address was verified",
  async (_door, enter) => {
    const { tenant, squatter, accompliceSession, liveKey, testKey, liveWebhook, open } =
      await newSquat();
    expect(await liveKey.isAccepted()).toBe(true);

    const session = await findLiveSession(await enter(squatter));

    expect(session?.memberships).toMatchObject([{ role: "OWNER", tenant: { id: tenant.id } }]);
    await expect.poll(liveKey.isAccepted).toBe(false);
    await expect.poll(testKey.isAccepted).toBe(false);
    expect(await liveWebhook.status()).toBe("DISABLED");
    expect(await findInvitation(open.token)).toBeNull();
    expect((await findLiveSession(accompliceSession.id))?.memberships ?? []).toEqual([]);
  },
);

const review = (by: TestPerson) => listSuspendedAccess(reader(as(by)));
const count = (by: TestPerson) => countAllSuspendedAccess(reader(as(by)));

test("suspended access is listed to the owner, who restores it one by one or all together", async () => {
  const {
    tenant,
    squatter: owner,
    accomplice,
    liveKey,
    testKey,
    liveWebhook,
    open,
  } = await newSquat();
  await doors["a password reset"]?.(owner);

  const found = await review(owner);
  expect(found.apiKeys.map(({ id }) => id).sort()).toEqual([liveKey.id, testKey.id].sort());
  expect(found.webhooks).toMatchObject([{ id: liveWebhook.id, environment: "live" }]);
  expect(found.invitations).toMatchObject([{ id: open.id, role: "ADMIN" }]);
  expect(found.members).toMatchObject([{ id: accomplice.id, role: "OWNER" }]);
  expect(await count(owner)).toBe(5);
  const before = {
    apiKeys: [liveKey.id, testKey.id],
    webhooks: [liveWebhook.id],
    alertTargets: [],
    invitations: [open.id],
    members: [accomplice.id],
  };
  expect(
    (await auditOf(tenant.id)).find(({ action }) => action === "access.suspended")?.changes,
  ).toEqual({ after: before });
  const mail = await db().mail.findFirstOrThrow({
    where: { recipient: owner.email, kind: "access-suspended" },
  });
  expect(openMail(mail)?.text).toContain(`${tenant.name}: 5 suspended.`);

  await mutate(as(owner), (caller) => confirmAccess(caller, { kind: "apiKeys", id: testKey.id }));
  expect(await testKey.isAccepted()).toBe(true);
  await expect.poll(liveKey.isAccepted).toBe(false);
  await mutate(as(owner), (caller) => confirmAccess(caller, "everything"));
  expect(await liveKey.isAccepted()).toBe(true);
  expect(await liveWebhook.status()).toBe("ENABLED");
  expect(await findInvitation(open.token)).not.toBeNull();
  const session = await newSession(accomplice.id);
  expect((await findLiveSession(session.id))?.memberships).toHaveLength(1);
  expect(await review(owner)).toEqual({
    apiKeys: [],
    webhooks: [],
    alertTargets: [],
    invitations: [],
    members: [],
  });
  expect(await count(owner)).toBe(0);
  expect((await auditOf(tenant.id)).at(-1)).toMatchObject({
    action: "access.confirmed",
    actorId: owner.id,
  });
});

test("unconfirmed access can be revoked, but not changed, rolled or enabled", async () => {
  const { squatter: owner, accomplice, liveKey, liveWebhook, open } = await newSquat();
  await doors["a password reset"]?.(owner);
  const live = as(owner, "live");
  const roll = mutate(live, (caller) => rollApiKey(caller, liveKey.id, "24h"));
  await expect(roll).rejects.toThrow("This key is suspended.");
  const enable = mutate(live, (caller) =>
    enableWebhook(caller, liveWebhook.id, { held: "RESUME" }),
  );
  await expect(enable).rejects.toThrow("The webhook is suspended.");

  await mutate(live, (caller) => revokeApiKey(caller, liveKey.id));
  await mutate(live, (caller) => deleteWebhook(caller, liveWebhook.id));
  await mutate(as(owner), (caller) => revokeInvitation(caller, open.id));
  await mutate(as(owner), (caller) => removeMember(caller, accomplice.id));
  const { apiKeys, ...rest } = await review(owner);
  expect(apiKeys).toHaveLength(1);
  expect(rest).toEqual({ webhooks: [], alertTargets: [], invitations: [], members: [] });
});

test("a suspended accomplice can neither confirm anything nor keep the organization from its owner", async () => {
  const { tenant, squatter: owner, accomplice } = await newSquat();
  const stale = as({ ...accomplice, role: "OWNER", tenantId: tenant.id }, "live");
  await doors["a password reset"]?.(owner);
  await expect(mutate(stale, (caller) => confirmAccess(caller, "everything"))).rejects.toThrow(
    "You are no longer a member",
  );
  await expect(
    mutate(stale, (caller) => createApiKey(caller, { name: "key", scopes: ["read:usage"] })),
  ).rejects.toThrow("no longer a member");
  const demote = mutate(as(owner), (caller) => changeRole(caller, owner.id, "ADMIN"));
  await expect(demote).rejects.toThrow("An organization must have at least one owner.");
});

test("a request of the squatter that was accepted before the takeover creates nothing after it", async () => {
  const { tenant, squatter } = await newSquat();
  const letIn = as(squatter, "test");
  await doors["a password reset"]?.(squatter);
  await expect(
    mutate(letIn, (caller) => createApiKey(caller, { name: "late", scopes: ["read:usage"] })),
  ).rejects.toThrow(ProofNeeded);
  expect(
    await db().apiKey.count({ where: { tenantId: tenant.id, environment: "test", name: "late" } }),
  ).toBe(0);
});

test("in an organization of others, only what the unverified user created and whom they invited is suspended", async () => {
  const { tenant, owner } = await newOrganization();
  const admin = await newMember(tenant.id, "ADMIN");
  const [theirs, ours] = [await newKey(admin, "live"), await newKey(owner, "live")];
  const [theirHook, ourHook] = [await newWebhook(admin, "live"), await newWebhook(owner, "live")];
  const guest = await newPerson();
  const { token } = await invite(admin, guest.email, "MEMBER");
  await acceptInvitation({ ...guest, address: null }, token);

  await doors["a linked provider"]?.(admin);

  expect(await theirs.isAccepted()).toBe(false);
  expect(await ours.isAccepted()).toBe(true);
  expect(await theirHook.status()).toBe("DISABLED");
  expect(await ourHook.status()).toBe("ENABLED");
  expect((await review(owner)).members).toMatchObject([{ id: guest.id }]);
  // The other owner decides as well as the returned member.
  await mutate(as(owner), (caller) => confirmAccess(caller, "everything"));
  expect(await theirs.isAccepted()).toBe(true);
});

test("what an accomplice of the squatter made is suspended too, and what they made before they were let in is not", async () => {
  const { tenant, owner } = await newOrganization();
  const admin = await newMember(tenant.id, "ADMIN");
  const promoted = await newMember(tenant.id, "ADMIN");
  const before = await newKey(promoted, "live");
  await mutate(as(owner), (caller) => changeRole(caller, promoted.id, "MEMBER"));
  await mutate(as(admin), (caller) => changeRole(caller, promoted.id, "ADMIN"));
  const guest = await newPerson();
  const { token } = await invite(promoted, guest.email, "ADMIN");
  await acceptInvitation({ ...guest, address: null }, token);
  const after = await newKey({ ...guest, role: "ADMIN", tenantId: tenant.id }, "live");

  await doors["a linked provider"]?.(admin);

  expect(await before.isAccepted()).toBe(true);
  expect(await after.isAccepted()).toBe(false);
  const suspended = (await review(owner)).members.map(({ id }) => id);
  expect(suspended.sort()).toEqual([promoted.id, guest.id].sort());
});

test("a founder whom the next owner demoted suspends nothing, so that an owner is left", async () => {
  const { tenant, squatter: founder, accomplice, liveKey } = await newSquat();
  const next = { ...accomplice, role: "OWNER", tenantId: tenant.id } as const;
  await mutate(as(next), (caller) => changeRole(caller, founder.id, "VIEWER"));
  await doors["a linked provider"]?.(founder);
  expect(await liveKey.isAccepted()).toBe(true);
  expect(await count(next)).toBe(0);
});

test("a verified address suspends nothing when its password is reset", async () => {
  const { squatter: owner, liveKey } = await newSquat();
  await db().user.update({ where: { id: owner.id }, data: { emailVerifiedAt: new Date() } });
  await doors["a password reset"]?.(owner);
  expect(await liveKey.isAccepted()).toBe(true);
});

describe("where mail is configured", () => {
  beforeAll(() => {
    Object.assign(env(), { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "parlance@example.com" });
  });

  async function signUpWithMail() {
    const email = newAddress();
    const device = { ...someDevice, address: `10.8.0.${++number}` };
    const signedUp = await signUp(
      { organization: `Mailed ${++number}`, name: "Ada", email, password: "correct horse battery" },
      device,
    );
    if (signedUp.outcome !== "signed-in") throw new Error(signedUp.outcome);
    const { id: userId } = await db().user.findUniqueOrThrow({ where: { email } });
    const { tenantId } = await db().membership.findFirstOrThrow({ where: { userId } });
    const mail = await db().mail.findFirstOrThrow({
      where: { recipient: email, kind: "verify-email" },
    });
    const token = /\/verify\/([\w-]+)/.exec(openMail(mail)?.text ?? "")?.[1] ?? "";
    return {
      owner: { id: userId, email, name: "Ada", role: "OWNER", tenantId } as TestPerson,
      sessionId: signedUp.sessionId,
      token,
    };
  }

  test("a user with an unverified address cannot create live keys, live webhooks or invitations, and can always remove access", async () => {
    const { owner } = await signUpWithMail();
    const testKey = await newKey(owner, "test");
    await newWebhook(owner, "test");
    await expect(newKey(owner, "live")).rejects.toThrow(
      "Confirm your email address to create a live key.",
    );
    await expect(newWebhook(owner, "live")).rejects.toThrow(AddressUnverified);
    await expect(invite(owner, newAddress(), "MEMBER")).rejects.toThrow(AddressUnverified);
    await mutate(as(owner), (caller) => revokeApiKey(caller, testKey.id));
  });

  test("the mailed link confirms the address of the signed-in user, once, and of no one else", async () => {
    const { owner, sessionId, token } = await signUpWithMail();
    const other = await newSession(owner.id);
    const stranger = await newOrganization();
    const strangerSession = await newSession(stranger.owner.id);
    const how = { address: null, confirmsEverything: false };
    expect(await findEmailVerification(token)).toEqual({ userId: owner.id, email: owner.email });
    expect(
      await confirmEmail({ id: stranger.owner.id, sessionId: strangerSession.id }, token, how),
    ).toBe(false);

    expect(await confirmEmail({ id: owner.id, sessionId }, token, how)).toBe(true);
    expect(await confirmEmail({ id: owner.id, sessionId }, token, how)).toBe(false);
    expect(await findEmailVerification(token)).toBeNull();
    // Only the browser that confirmed stays signed in.
    expect((await findLiveSession(sessionId))?.isEmailVerified).toBe(true);
    expect(await findLiveSession(other.id)).toBeNull();
    await newKey(owner, "live");
    expect((await auditOf(owner.tenantId)).map(({ action }) => action)).toContain(
      "user.email_verified",
    );
  });

  test.each([
    [true, "keeps what was made before"],
    [false, "suspends what was made before"],
  ])("confirming with confirmsEverything %s %s", async (confirmsEverything) => {
    const { owner, sessionId, token } = await signUpWithMail();
    const key = await newKey(owner, "test");
    expect(await accessBeforeVerification(owner)).toMatchObject([
      { access: { apiKeys: [key.id] } },
    ]);
    await confirmEmail({ id: owner.id, sessionId }, token, { address: null, confirmsEverything });
    expect(await key.isAccepted()).toBe(confirmsEverything);
  });

  test("another link is mailed after a minute at the earliest, and ends the previous one", async () => {
    const { owner, token } = await signUpWithMail();
    const { sentAt } = await db().emailVerification.findFirstOrThrow({
      where: { userId: owner.id },
    });
    const sentBefore = (milliseconds: number) => new Date(sentAt.getTime() + milliseconds);
    setCurrentTime(() => sentBefore(59_999));
    await expect(resendEmailVerification(owner)).rejects.toThrow("less than a minute ago");
    setCurrentTime(() => sentBefore(60_000));
    await resendEmailVerification(owner);
    expect(await findEmailVerification(token)).toBeNull();
  });

  test("a new account from a mailed invitation is verified from the start", async () => {
    const { owner, sessionId, token } = await signUpWithMail();
    await confirmEmail({ id: owner.id, sessionId }, token, {
      address: null,
      confirmsEverything: false,
    });
    const email = newAddress();
    await invite(owner, email, "ADMIN");
    const mail = await db().mail.findFirstOrThrow({ where: { recipient: email } });
    const inviteToken = /\/invite\/([\w-]+)/.exec(openMail(mail)?.text ?? "")?.[1] ?? "";
    await signUpByInvitation(
      inviteToken,
      { name: "Grace", password: "correct horse battery" },
      { ...someDevice, address: "10.8.1.1" },
    );
    expect(
      (await db().user.findUniqueOrThrow({ where: { email } })).emailVerifiedAt,
    ).not.toBeNull();
  });
});

test("an existing user's address becomes verified in one place only", () => {
  const files = readdirSync("lib", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const writing = files.filter((name) =>
    /user\.update[^;]*emailVerifiedAt: (?!null)/s.test(
      readFileSync(path.join("lib", name), "utf8"),
    ),
  );
  expect(writing).toEqual(["access-review/verify-address.ts"]);
});
