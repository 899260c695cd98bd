import { randomBytes } from "node:crypto";
import type { Identity } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { startSession } from "@/lib/sessions/service";
import { createAccount, createUser } from "@/lib/users/service";
import type { Environment, Role } from "@/prisma/generated/enums";

export const someDevice = { address: "203.0.113.7", userAgent: "test" };

export type TestPerson = { id: string; email: string; name: string; role: Role; tenantId: string };

/** An address that no other test uses. */
export const newAddress = (name = "person") =>
  `${name}-${randomBytes(6).toString("hex")}@example.com`;

/** A new organization for each test, and its owner. */
export async function newOrganization(passwordHash = "none") {
  const account = {
    organization: `Engines ${randomBytes(4).toString("hex")}`,
    name: "Ada",
    email: newAddress("ada"),
    passwordHash,
  };
  const { user, tenant } = await db().$transaction((transaction) =>
    createAccount(transaction, account),
  );
  return { tenant, owner: { ...user, role: "OWNER", tenantId: tenant.id } satisfies TestPerson };
}

/** A user without an organization. */
export async function newPerson(name = "Grace", passwordHash = "none") {
  return createUser(db(), { name, email: newAddress(name.toLowerCase()), passwordHash });
}

export async function newMember(tenantId: string, role: Role): Promise<TestPerson> {
  const user = await newPerson();
  await db().membership.create({
    data: { tenantId, userId: user.id, role, createdAt: new Date() },
  });
  return { ...user, role, tenantId };
}

/** The identity of a dashboard user who signed in a moment ago. */
export function as(
  { id, role, tenantId }: TestPerson,
  environment: Environment = "test",
): Identity {
  return {
    partition: { tenantId, environment },
    actor: { type: "USER", id, role, provedAt: new Date() },
    request: null,
    address: someDevice.address,
  };
}

export const newSession = (userId: string) => startSession(db(), userId, someDevice);

/** The entries of the audit log, in order. */
export async function auditOf(tenantId: string) {
  const entries = await db().auditEntry.findMany({
    where: { tenantId },
    orderBy: { sequence: "asc" },
  });
  return entries.map(({ action, actorId, targetId, changes }) => ({
    action,
    actorId,
    targetId,
    changes,
  }));
}

/** What is left of an organization in the installation that it left. */
export const moveAway = (tenantId: string) =>
  db().tenant.update({ where: { id: tenantId }, data: { movedTo: "https://b.example.com" } });
