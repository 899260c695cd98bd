import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createApiKey, rollApiKey } from "@/lib/api-keys/service";
import { changePassword } from "@/lib/auth/change-password";
import { withAccount } from "@/lib/auth/known-device";
import { hashPassword } from "@/lib/auth/password";
import { requestPasswordReset } from "@/lib/auth/password-reset";
import { flushRefusedAttempts } from "@/lib/auth/refused-attempts";
import { confirmPassword, endSession, signIn, signOut } from "@/lib/auth/service";
import { failureLimits, maximumFailures, maximumResets } from "@/lib/auth/throttle";
import { openMail } from "@/lib/mail/service";
import { acceptInvitation } from "@/lib/members/accept-invitation";
import { createInvitation } from "@/lib/members/invitations";
import { changeRole, leaveOrganization, removeMember } from "@/lib/members/service";
import { type Identity, mutate } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { logOf } from "@/lib/platform/log";
import { type Device, findLiveSession } from "@/lib/sessions/service";
import { ProofNeeded } from "@/lib/step-up/proof";
import type { Environment } from "@/prisma/generated/enums";
import { stopLimiterClock } from "../support/limiter-clock";
import {
  as,
  newAddress,
  newMember,
  newOrganization,
  newPerson,
  newSession,
} from "../support/people";

beforeEach(() => void stopLimiterClock());
afterEach(() => vi.restoreAllMocks());

const password = "correct horse battery";
const passwordHash = await hashPassword(password);
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
let number = 0;
const newDevice = (): Device => ({
  address: `10.8.${++number >> 8}.${number & 255}`,
  userAgent: firefox,
});

async function newOwner() {
  const { tenant, owner } = await newOrganization(passwordHash);
  return { tenant, owner, email: owner.email };
}

/**
 * What the log of an organization says, in order, after everything in the background was written.
 */
async function entriesOf(tenantId: string) {
  await flushRefusedAttempts();
  const entries = await db().auditEntry.findMany({
    where: { tenantId, action: { startsWith: "user." } },
    orderBy: { sequence: "asc" },
  });
  return entries.map(({ action, actorType, actorId, targetId, address, changes }) => ({
    action,
    actorType,
    actorId,
    targetId,
    address,
    changes,
  }));
}

/** Kinds and texts of the mails to an address, in order. */
async function mailsTo(email: string) {
  const mails = await db().mail.findMany({ where: { recipient: email }, orderBy: { id: "asc" } });
  return mails.map((mail) => ({ kind: mail.kind, text: openMail(mail)?.text ?? "" }));
}

describe("refused attempts leave a trace", () => {
  test("a failed sign-in is in the audit log of the account, and in the operator's log", async () => {
    const warn = vi.spyOn(logOf("auth"), "warn");
    const { tenant, owner, email } = await newOwner();
    const device = newDevice();
    await signIn({ email, password: "wrong password" }, device);

    expect(await entriesOf(tenant.id)).toEqual([
      {
        action: "user.sign_in_failed",
        actorType: "SYSTEM",
        actorId: "system",
        targetId: owner.id,
        address: device.address,
        changes: { after: { attempt: "sign-in", device: "Firefox on Linux" } },
      },
    ]);
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({
        what: "sign-in",
        outcome: "failed",
        userId: owner.id,
        address: device.address,
      }),
      "an attempt was refused",
    );
  });

  test("an attempt for an unknown address is only in the operator's log, without the address", async () => {
    const warn = vi.spyOn(logOf("auth"), "warn");
    const device = newDevice();
    const email = newAddress("nobody");
    await signIn({ email, password: "wrong password" }, device);
    await signIn({ email, password: "" }, device);
    await flushRefusedAttempts();

    expect(
      warn.mock.calls.filter(([, message]) => message === "an attempt was refused"),
    ).toHaveLength(2);
    expect(JSON.stringify(warn.mock.calls)).not.toContain(email);
  });

  test("a throttle is logged once, no matter how often it refuses", async () => {
    const { tenant, email } = await newOwner();
    const device = newDevice();
    for (let attempt = 0; attempt < failureLimits[0].limit + 10; attempt++)
      await signIn({ email, password: "wrong password" }, device);

    const actions = (await entriesOf(tenant.id)).map(({ action }) => action);
    expect(actions.filter((action) => action === "user.sign_in_failed")).toHaveLength(
      failureLimits[0].limit,
    );
    expect(actions.filter((action) => action === "user.throttled")).toHaveLength(1);
  });

  test("a throttle on password resets, and one on a network without an account, are logged once", async () => {
    const warn = vi.spyOn(logOf("auth"), "warn");
    const { tenant, email } = await newOwner();
    const device = newDevice();
    for (let asked = 0; asked <= maximumResets.account + 3; asked++)
      await requestPasswordReset(email, device);
    expect(
      (await entriesOf(tenant.id)).map(({ action, changes }) => ({ action, changes })),
    ).toEqual([
      {
        action: "user.throttled",
        changes: { after: { attempt: "password reset", device: "Firefox on Linux" } },
      },
    ]);

    warn.mockClear();
    const network = newDevice();
    for (let attempt = 0; attempt < maximumFailures + 5; attempt++)
      await signIn(undefined, network);
    await flushRefusedAttempts();
    const lines = warn.mock.calls.map(
      ([facts]) => (facts as unknown as { outcome: string }).outcome,
    );
    expect(lines.filter((outcome) => outcome === "throttled")).toHaveLength(1);
  });

  test("a wrong password at a confirmation is in the audit log, under the signed-in user", async () => {
    const { tenant, owner, email } = await newOwner();
    const session = await newSession(owner.id);
    await confirmPassword({ email, sessionId: session.id }, "wrong password", newDevice());

    expect(await entriesOf(tenant.id)).toMatchObject([
      { action: "user.proof_refused", actorType: "USER", actorId: owner.id },
    ]);
  });

  test("an attempt to invite an owner with a stolen session is in the audit log, although nothing changed", async () => {
    const { tenant, owner } = await newOwner();
    const identity = as(owner);
    const stolen: Identity = {
      ...identity,
      actor: { type: "USER", id: owner.id, role: "OWNER", provedAt: null },
    };
    const invitation = { email: newAddress(), role: "OWNER" as const };
    await expect(mutate(stolen, (caller) => createInvitation(caller, invitation))).rejects.toThrow(
      ProofNeeded,
    );

    expect(await entriesOf(tenant.id)).toMatchObject([
      {
        ...{
          action: "user.confirmation_required",
          actorType: "USER",
          actorId: owner.id,
          address: identity.address,
        },
        changes: { after: { attempt: "invite a member", missing: "proof" } },
      },
    ]);
    expect(await db().invitation.count({ where: { tenantId: tenant.id } })).toBe(0);
  });
});

describe("the end of a session leaves a trace", () => {
  test("signing out", async () => {
    const { tenant, owner } = await newOwner();
    await newSession(owner.id);
    await newSession(owner.id);
    await signOut(owner, newDevice());

    expect(await entriesOf(tenant.id)).toMatchObject([
      { action: "user.signed_out", actorId: owner.id, changes: { before: { sessions: 2 } } },
    ]);
  });

  test("ending one session, and nothing where there was none", async () => {
    const { tenant, owner } = await newOwner();
    const stranger = await newPerson();
    const [session, others] = [await newSession(owner.id), await newSession(stranger.id)];
    for (const id of [session.id, session.id, others.id, "ses_none"])
      await mutate(as(owner), (caller) => endSession(caller, id));

    expect(await entriesOf(tenant.id)).toMatchObject([
      {
        action: "user.session_revoked",
        actorId: owner.id,
        changes: { before: { sessionId: session.id, address: session.address } },
      },
    ]);
    expect(await findLiveSession(others.id)).not.toBeNull();
  });
});

describe("a user gets a mail about", () => {
  test("a sign-in with an unknown browser, and none about a known one", async () => {
    const { owner, email } = await newOwner();
    const device = newDevice();
    await signIn({ email, password }, device);
    const known = withAccount(null, { email, passwordHash });
    await signIn({ email, password }, { ...device, known });

    const mails = await mailsTo(owner.email);
    expect(mails.map(({ kind }) => kind)).toEqual(["new-sign-in"]);
    expect(mails[0]?.text).toContain(`Device: Firefox on Linux. Address: ${device.address}.`);
  });

  test("a changed password, after which all earlier browsers are unknown", async () => {
    const { owner, email } = await newOwner();
    const known = withAccount(null, { email, passwordHash });
    const user = await findLiveSession((await newSession(owner.id)).id);
    if (!user) throw new Error("the session is not valid");
    await changePassword(
      user,
      { current: password, password: "quite another sentence" },
      newDevice(),
    );
    await signIn({ email, password: "quite another sentence" }, { ...newDevice(), known });

    expect((await mailsTo(email)).map(({ kind }) => kind)).toEqual([
      "password-changed",
      "new-sign-in",
    ]);
  });

  test("a new owner, however they became one, and only owners get it", async () => {
    const { tenant, owner } = await newOwner();
    const [admin, invited] = [await newMember(tenant.id, "ADMIN"), await newPerson("Edsger")];
    const promoted = await newMember(tenant.id, "MEMBER");
    await mutate(as(owner), (caller) => changeRole(caller, promoted.id, "OWNER"));
    const { link } = await mutate(as(owner), (caller) =>
      createInvitation(caller, { email: invited.email, role: "OWNER" }),
    );
    await acceptInvitation({ ...invited, address: null }, link?.split("/").at(-1) ?? "");

    const about = async (email: string) =>
      (await mailsTo(email)).filter(({ kind }) => kind === "owner-added").length;
    expect(
      await Promise.all([owner, promoted, invited, admin].map(({ email }) => about(email))),
    ).toEqual([2, 2, 1, 0]);
    expect((await mailsTo(owner.email)).at(-1)?.text).toContain(
      `Edsger (${invited.email}) is now an owner of ${tenant.name}`,
    );
  });

  test("their removal from an organization, and no other member gets it", async () => {
    const { tenant, owner } = await newOwner();
    const [admin, removed] = [
      await newMember(tenant.id, "ADMIN"),
      await newMember(tenant.id, "VIEWER"),
    ];
    await db().user.update({ where: { id: removed.id }, data: { name: "<b>Grace</b>" } });
    await mutate(as(admin), (caller) => removeMember(caller, removed.id));

    const mails = await db().mail.findMany({ where: { recipient: removed.email } });
    expect(mails.map(({ kind }) => kind)).toEqual(["member-removed"]);
    const { text, html } = mails[0] ? (openMail(mails[0]) ?? {}) : {};
    expect(text).toContain(
      `Hello <b>Grace</b>, Grace (${admin.email}) removed you from ${tenant.name}.`,
    );
    expect(html).toContain("Hello &lt;b&gt;Grace&lt;/b&gt;,");
    expect(await mailsTo(admin.email)).toEqual([]);
    expect(await mailsTo(owner.email)).toEqual([]);

    // Not about leaving, which they do themselves.
    const leaving = await newMember(tenant.id, "MEMBER");
    await mutate(as(leaving), (caller) => leaveOrganization(caller));
    expect(await mailsTo(leaving.email)).toEqual([]);
  });

  test("a new live key, also one that replaces another, and none about test keys", async () => {
    const { tenant, owner } = await newOwner();
    const admin = await newMember(tenant.id, "ADMIN");
    const make = (environment: Environment) => {
      const identity: Identity = as(owner, environment);
      return mutate(identity, (caller) =>
        createApiKey(caller, { name: "Server", scopes: ["read:usage"] }),
      );
    };
    await make("test");
    const { apiKey } = await make("live");
    await mutate(as(owner, "live"), (caller) => rollApiKey(caller, apiKey.id, "24h"));

    for (const { email } of [owner, admin]) {
      const mails = await mailsTo(email);
      expect(mails.map(({ kind }) => kind)).toEqual(["live-key-created", "live-key-created"]);
      expect(mails[0]?.text).toContain(`Ada created the live key “Server” (${apiKey.hint})`);
    }
  });
});
