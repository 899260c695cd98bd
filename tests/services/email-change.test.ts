import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listSuspendedAccess } from "@/lib/access-review/service";
import { createApiKey } from "@/lib/api-keys/service";
import {
  confirmEmailChange,
  findEmailChange,
  findReversibleChange,
  requestEmailChange,
  undoDays,
  undoEmailChange,
} from "@/lib/auth/email-change";
import { hashPassword } from "@/lib/auth/password";
import { createPasswordReset, findPasswordReset, resetPassword } from "@/lib/auth/password-reset";
import { signInWithProvider } from "@/lib/auth/provider-sign-in";
import { finishSignIn } from "@/lib/auth/second-step";
import { signIn, signUp, signUpByInvitation } from "@/lib/auth/service";
import { openMail } from "@/lib/mail/service";
import { acceptInvitation } from "@/lib/members/accept-invitation";
import { deleteAccount } from "@/lib/members/delete-account";
import { createInvitation } from "@/lib/members/invitations";
import { changeRole, leaveOrganization, removeMember } from "@/lib/members/service";
import { mutate, reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { setCurrentTime } from "@/lib/platform/time";
import { newId } from "@/lib/resources/ids";
import { replaceRecoveryCodes } from "@/lib/second-factor/service";
import { findLiveSession } from "@/lib/sessions/service";
import { ProofNeeded, proofLifetimeMs } from "@/lib/step-up/proof";
import type { Role } from "@/prisma/generated/enums";
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

const password = "correct horse battery";
const passwordHash = await hashPassword(password);
const dayMs = 24 * 60 * 60_000;

beforeEach(() => {
  Object.assign(env(), { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "parlance@example.com" });
});
afterEach(() => {
  Object.assign(env(), { SMTP_URL: undefined, MAIL_FROM: undefined });
  setCurrentTime(null);
});

async function newUser({ isVerified = true } = {}) {
  const { tenant, owner } = await newOrganization(passwordHash);
  if (isVerified)
    await db().user.update({ where: { id: owner.id }, data: { emailVerifiedAt: new Date() } });
  const session = await newSession(owner.id);
  return { tenant, owner, user: { id: owner.id, sessionId: session.id } };
}

async function mailsTo(recipient: string) {
  const mails = await db().mail.findMany({ where: { recipient }, orderBy: { id: "asc" } });
  return mails.map((mail) => ({ kind: mail.kind, text: openMail(mail)?.text ?? "" }));
}

/** The token of the last link to this page that was mailed to the address. */
async function tokenTo(recipient: string, page: "new" | "undo") {
  const found = (await mailsTo(recipient)).findLast(({ text }) =>
    text.includes(`/verify/${page}/`),
  );
  return found?.text.match(/\/verify\/\w+\/([\w-]+)/)?.[1] ?? "";
}

async function invitationTo(recipient: string) {
  const [text = ""] = (await mailsTo(recipient))
    .map(({ text }) => text)
    .filter((text) => text.includes("/invite/"));
  return text.match(/\/invite\/([\w-]+)/)?.[1] ?? "";
}

async function changeTo(user: { id: string; sessionId: string }, email: string) {
  await requestEmailChange(user, email, someDevice);
  return confirmEmailChange(user, await tokenTo(email, "new"), someDevice);
}

const emailOf = async (id: string) => (await db().user.findUniqueOrThrow({ where: { id } })).email;

test("an address changes once the new one is confirmed, and both addresses are notified", async () => {
  const { tenant, owner, user } = await newUser();
  const other = await newSession(owner.id);
  const reset = await createPasswordReset(owner.email);
  const to = newAddress("new");

  await requestEmailChange(user, to, someDevice);
  expect(await emailOf(owner.id)).toBe(owner.email);
  expect((await mailsTo(owner.email)).at(-1)).toMatchObject({
    kind: "email-change-requested",
    text: expect.stringContaining(to),
  });
  const token = await tokenTo(to, "new");
  expect(await confirmEmailChange(user, token, someDevice)).toBe(true);

  expect(await emailOf(owner.id)).toBe(to);
  expect(await findLiveSession(user.sessionId)).toMatchObject({ email: to, isEmailVerified: true });
  expect(await findLiveSession(other.id)).toBeNull();
  expect(await findPasswordReset(reset?.url.split("/").at(-1) ?? "")).toBeNull();
  for (const address of [owner.email, to])
    expect((await mailsTo(address)).map(({ kind }) => kind)).toContain("email-changed");
  expect(await signIn({ email: to, password }, someDevice)).toMatchObject({
    outcome: "signed-in",
  });
  expect(await signIn({ email: owner.email, password }, someDevice)).toEqual({ outcome: "failed" });
  const emails = { before: { email: owner.email }, after: { email: to } };
  expect(
    (await auditOf(tenant.id)).filter(({ action }) => action.includes("email_")),
  ).toMatchObject([
    { action: "user.email_change_requested", changes: emails },
    { action: "user.email_changed", changes: emails },
  ]);
  expect(await confirmEmailChange(user, token, someDevice)).toBe(false);
});

test("the link works for a day, only for the newest request, and only for the user who requested it", async () => {
  const { owner, user } = await newUser();
  const [first, second] = [newAddress("first"), newAddress("second")];
  await requestEmailChange(user, first, someDevice);
  await requestEmailChange(user, second, someDevice);
  expect(await findEmailChange(await tokenTo(first, "new"))).toBeNull();
  const token = await tokenTo(second, "new");
  const stranger = (await newUser()).user;
  expect(await confirmEmailChange(stranger, token, someDevice)).toBe(false);
  setCurrentTime(() => new Date(Date.now() + dayMs + 1_000));
  expect(await confirmEmailChange(user, token, someDevice)).toBe(false);
  expect(await emailOf(owner.id)).toBe(owner.email);
});

test("a request for an address that has an account looks the same, and only its owner learns of it", async () => {
  const { user } = await newUser();
  const { owner: other } = await newUser();
  expect(await requestEmailChange(user, other.email, someDevice)).toBeUndefined();
  expect((await mailsTo(other.email)).at(-1)?.text).toContain("already belongs to your account");
  expect(await tokenTo(other.email, "new")).toBe("");
});

test("an address that is taken after the request is not moved", async () => {
  const { owner, user } = await newUser();
  const to = newAddress("contested");
  await requestEmailChange(user, to, someDevice);
  await db().user.create({
    data: { id: `usr_${to}`, email: to, name: "Grace", createdAt: new Date() },
  });
  expect(await confirmEmailChange(user, await tokenTo(to, "new"), someDevice)).toBe(false);
  expect(await emailOf(owner.id)).toBe(owner.email);
});

test("a change needs a recent proof of identity, a different address, and mail", async () => {
  const { owner, user } = await newUser();
  const request = (email = newAddress()) => requestEmailChange(user, email, someDevice);
  await expect(request(owner.email)).rejects.toThrow("already your email address");
  const { MAIL_PAGE } = env();
  Object.assign(env(), { SMTP_URL: undefined, MAIL_PAGE: false });
  await expect(request()).rejects.toThrow("sends no mail");
  Object.assign(env(), { MAIL_PAGE });
  const stale = new Date(Date.now() - proofLifetimeMs - 1_000);
  await db().session.update({ where: { id: user.sessionId }, data: { provedAt: stale } });
  await expect(request()).rejects.toThrow(ProofNeeded);
  expect(await db().emailChange.count({ where: { userId: owner.id } })).toBe(0);
});

test("the old address can reverse the change, also after a second change", async () => {
  const { tenant, owner, user } = await newUser();
  const [thief, again] = [newAddress("thief"), newAddress("again")];
  await changeTo(user, thief);
  const undo = await tokenTo(owner.email, "undo");
  await changeTo(user, again);
  const later = await tokenTo(thief, "undo");
  const arrival = { provider: "GITHUB", accountId: again, name: "Thief", email: again } as const;
  expect(await signInWithProvider(arrival, someDevice, null)).toMatchObject({
    outcome: "signed-in",
  });
  expect(
    await signUp(
      { organization: "Squat", name: "Squatter", email: owner.email, password },
      someDevice,
    ),
  ).toEqual({ outcome: "email-taken" });

  expect(await undoEmailChange(undo, someDevice)).toBe(true);

  expect(await db().user.findUniqueOrThrow({ where: { id: owner.id } })).toMatchObject({
    email: owner.email,
    passwordHash: null,
  });
  expect(await db().providerAccount.count({ where: { userId: owner.id } })).toBe(0);
  expect(await findLiveSession(user.sessionId)).toBeNull();
  for (const token of [undo, later]) expect(await undoEmailChange(token, someDevice)).toBe(false);
  for (const address of [owner.email, again])
    expect((await mailsTo(address)).at(-1)?.kind).toBe("email-restored");
  expect((await auditOf(tenant.id)).at(-1)).toMatchObject({
    action: "user.email_restored",
    changes: { before: { email: again }, after: { email: owner.email } },
  });
});

test("keys that a thief created are suspended until someone confirms them, and older ones stay", async () => {
  const { owner, user } = await newUser();
  const own = await newKeyOf(owner, "own");
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.now());
  const theftAt = new Date();
  const stolen = await newKeyOf(owner, "thief's");
  await changeTo(user, newAddress("thief"));
  // Access from a week before the request on is suspended.
  const requestedAt = new Date(theftAt.getTime() + 7 * dayMs);
  await db().emailChange.updateMany({ where: { userId: owner.id }, data: { requestedAt } });
  expect(await undoEmailChange(await tokenTo(owner.email, "undo"), someDevice)).toBe(true);

  const keys = await db().apiKey.findMany({ where: { id: { in: [own, stolen] } } });
  const suspended = keys.filter(({ suspendedAt }) => suspendedAt !== null);
  expect(suspended.map(({ id }) => id)).toEqual([stolen]);
  const mails = await mailsTo(owner.email);
  expect(mails.find(({ kind }) => kind === "access-suspended")?.text).toContain("1 suspended");
});

const verify = ({ id }: { id: string }) =>
  db().user.update({ where: { id }, data: { emailVerifiedAt: new Date() } });

async function newVerifiedMember(tenantId: string, role: Role) {
  const member = await newMember(tenantId, role);
  await verify(member);
  return member;
}

/** A member's address changes, and its earlier holder reverses that. */
async function changeAndUndo(member: TestPerson, beforeUndo = async () => {}) {
  const session = await newSession(member.id);
  await changeTo({ id: member.id, sessionId: session.id }, newAddress("thief"));
  await beforeUndo();
  expect(await undoEmailChange(await tokenTo(member.email, "undo"), someDevice)).toBe(true);
}

/** The account invites another owner, who creates a key. */
async function letOwnerIn(by: TestPerson) {
  const person = await newPerson();
  await mutate(as(by), (caller) =>
    createInvitation(caller, { email: person.email, role: "OWNER" }),
  );
  await acceptInvitation({ ...person, address: null }, await invitationTo(person.email));
  await verify(person);
  const owner: TestPerson = { ...person, role: "OWNER", tenantId: by.tenantId };
  return { owner, keyId: await newKeyOf(owner) };
}

async function newKeyOf(by: TestPerson, name = "key") {
  const { apiKey } = await mutate(as(by, "live"), (caller) =>
    createApiKey(caller, { name, scopes: ["read:usage"] }),
  );
  return apiKey.id;
}

const suspendedBy = async (owner: TestPerson) => {
  const { apiKeys, members } = await listSuspendedAccess(reader(as(owner)));
  return [...apiKeys, ...members].map(({ id }) => id).sort();
};

const losses: Record<string, (account: TestPerson, by: TestPerson) => Promise<void>> = {
  "was demoted": ({ id }, by) => mutate(as(by), (caller) => changeRole(caller, id, "VIEWER")),
  "was removed": ({ id }, by) => mutate(as(by), (caller) => removeMember(caller, id)),
  left: (account) => mutate(as(account), leaveOrganization),
};

describe.each(Object.entries(losses))("an owner who let another in and %s", (_how, lose) => {
  test("suspends what the other has, for an owner who is not under suspicion to decide", async () => {
    const { tenant, owner: founder } = await newUser();
    const victim = await newVerifiedMember(tenant.id, "OWNER");
    const accomplice = await letOwnerIn(victim);
    await changeAndUndo(victim, () => lose(victim, accomplice.owner));
    expect(await suspendedBy(founder)).toEqual([accomplice.keyId, accomplice.owner.id].sort());
  });

  test("suspends nothing if the other is the only owner left", async () => {
    const { owner: founder } = await newUser();
    const next = await letOwnerIn(founder);
    await changeAndUndo(founder, () => lose(founder, next.owner));
    expect(await suspendedBy(next.owner)).toEqual([]);
  });
});

test.each(["VIEWER", null] as const)(
  "an admin to whom another owner gave the role %s suspends nothing anymore",
  async (role) => {
    const { tenant, owner } = await newUser();
    const admin = await newVerifiedMember(tenant.id, "ADMIN");
    await newKeyOf(admin);
    await mutate(as(owner), (caller) =>
      role ? changeRole(caller, admin.id, role) : removeMember(caller, admin.id),
    );
    await changeAndUndo(admin);
    expect(await suspendedBy(owner)).toEqual([]);
  },
);

test("an admin suspends no one who is an owner by now, but the keys they created", async () => {
  const { tenant, owner } = await newUser();
  const admin = await newVerifiedMember(tenant.id, "ADMIN");
  const member = await newVerifiedMember(tenant.id, "MEMBER");
  await mutate(as(admin), (caller) => changeRole(caller, member.id, "ADMIN"));
  const keyId = await newKeyOf(admin);
  await mutate(as(owner), (caller) => changeRole(caller, member.id, "OWNER"));
  await changeAndUndo(admin);
  expect(await suspendedBy(owner)).toEqual([keyId]);
});

test("a passkey that a thief added before they changed the address goes, and an older one stays", async () => {
  const { owner, user } = await newUser();
  const days = { own: 30, thief: 1 };
  await db().passkey.createMany({
    data: Object.entries(days).map(([name, age]) => ({
      ...{ id: `${name}-${owner.id}`, userId: owner.id, name, publicKey: new Uint8Array(1) },
      ...{ counter: 0, transports: [], createdAt: new Date(Date.now() - age * dayMs) },
    })),
  });
  await changeTo(user, newAddress("thief"));
  expect(await undoEmailChange(await tokenTo(owner.email, "undo"), someDevice)).toBe(true);
  const left = await db().passkey.findMany({ where: { userId: owner.id } });
  expect(left.map(({ name }) => name)).toEqual(["own"]);
});

test("recovery codes go with the change, although an older passkey stays", async () => {
  const { owner, user } = await newUser();
  const createdAt = new Date(Date.now() - 30 * dayMs);
  await db().passkey.create({
    data: {
      ...{ id: `own-${owner.id}`, userId: owner.id, name: "own", publicKey: new Uint8Array(1) },
      ...{ counter: 0, transports: [], createdAt },
    },
  });
  await db().user.update({ where: { id: owner.id }, data: { secondFactorAt: createdAt } });
  const thief = await findLiveSession(user.sessionId);
  if (!thief) throw new Error("the session does not count");
  const [code = ""] = await replaceRecoveryCodes(thief, someDevice);
  await changeTo(user, newAddress("thief"));
  expect(await undoEmailChange(await tokenTo(owner.email, "undo"), someDevice)).toBe(true);

  const reset = await createPasswordReset(owner.email);
  await resetPassword(reset?.url.split("/").at(-1) ?? "", password, someDevice);
  const first = await signIn({ email: owner.email, password }, someDevice);
  if (first.outcome !== "second-step") throw new Error(first.outcome);
  expect((await finishSignIn(first.pending, code, someDevice)).outcome).not.toBe("signed-in");
});

test("no one else gets the old address while it can take the account back", async () => {
  const { owner, user } = await newUser();
  const rival = await newUser();
  await requestEmailChange(rival.user, owner.email, someDevice);
  await changeTo(user, newAddress("thief"));
  const undo = await tokenTo(owner.email, "undo");

  await mutate(as(rival.owner), (caller) =>
    createInvitation(caller, { email: owner.email, role: "MEMBER" }),
  );
  await expect(
    signUpByInvitation(await invitationTo(owner.email), { name: "Squatter", password }, someDevice),
  ).rejects.toThrow("can still be reversed");
  const arrival = {
    provider: "GITHUB",
    accountId: owner.email,
    name: "Ada",
    email: owner.email,
  } as const;
  expect(await signInWithProvider(arrival, someDevice, null)).toEqual({
    outcome: "refused",
    reason: "AddressReserved",
  });
  await requestEmailChange(rival.user, owner.email, someDevice);
  expect((await mailsTo(owner.email)).at(-1)?.text).toContain("until a few days ago");

  expect(await undoEmailChange(undo, someDevice)).toBe(true);
  expect(await emailOf(owner.id)).toBe(owner.email);
});

test("a thief cannot delete the account while the old address can take it back", async () => {
  const { tenant, owner, user } = await newUser();
  await newMember(tenant.id, "OWNER");
  const thief = newAddress("thief");
  await changeTo(user, thief);
  const undo = await tokenTo(owner.email, "undo");
  // A second change must not make it possible either.
  await changeTo(user, newAddress("again"));
  await expect(deleteAccount(user, someDevice)).rejects.toMatchObject({
    kind: "conflict",
    detail: expect.stringMatching(/can reverse that until \d{4}-\d\d-\d\d \d\d:\d\d UTC/),
  });
  expect(await undoEmailChange(undo, someDevice)).toBe(true);
  expect(await emailOf(owner.id)).toBe(owner.email);
});

test("an account can be deleted once its change of address is final", async () => {
  const { tenant, owner, user } = await newUser();
  await newMember(tenant.id, "OWNER");
  await changeTo(user, newAddress("new"));
  const undoUntil = new Date(Date.now() - 1_000);
  await db().emailChange.updateMany({ where: { userId: owner.id }, data: { undoUntil } });
  await deleteAccount(user, someDevice);
  expect(await db().user.count({ where: { id: owner.id } })).toBe(0);
});

test("the old address is reserved for longer than its link works, so that no sign-up can overtake it", async () => {
  const { owner, user } = await newUser();
  await changeTo(user, newAddress("thief"));
  const squat = () =>
    signUp({ organization: "Squat", name: "Squatter", email: owner.email, password }, someDevice);
  setCurrentTime(() => new Date(Date.now() + undoDays * dayMs + 1_000));
  expect(await undoEmailChange(await tokenTo(owner.email, "undo"), someDevice)).toBe(false);
  expect(await squat()).toEqual({ outcome: "email-taken" });
  setCurrentTime(() => new Date(Date.now() + undoDays * dayMs + 11 * 60_000));
  expect(await squat()).toMatchObject({ outcome: "signed-in" });
});

test("if another account has the old address after all, reversing the change says so and changes nothing", async () => {
  const { owner, user } = await newUser();
  const thief = newAddress("thief");
  await changeTo(user, thief);
  await db().user.create({
    data: { id: newId("user"), email: owner.email, name: "Grace", createdAt: new Date() },
  });
  const undo = await tokenTo(owner.email, "undo");
  await expect(undoEmailChange(undo, someDevice)).rejects.toMatchObject({
    kind: "conflict",
    detail: expect.stringContaining("Another account has the earlier address"),
  });
  expect(await emailOf(owner.id)).toBe(thief);
  expect(await findReversibleChange(undo)).not.toBeNull();
});

test("the link that reverses the change expires, and an address that was never confirmed gets none", async () => {
  const { owner, user } = await newUser();
  await changeTo(user, newAddress("new"));
  const undo = await tokenTo(owner.email, "undo");
  expect(await findReversibleChange(undo)).not.toBeNull();
  setCurrentTime(() => new Date(Date.now() + undoDays * dayMs + 1_000));
  expect(await undoEmailChange(undo, someDevice)).toBe(false);
  setCurrentTime(null);

  const unverified = await newUser({ isVerified: false });
  const to = newAddress("new");
  expect(await changeTo(unverified.user, to)).toBe(true);
  expect(await tokenTo(unverified.owner.email, "undo")).toBe("");
  expect(await findLiveSession(unverified.user.sessionId)).toMatchObject({
    email: to,
    isEmailVerified: true,
  });
});
