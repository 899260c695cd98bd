import { notFound } from "next/navigation";
import { cache } from "react";
import { type Identity, reader } from "@/lib/platform/caller";
import { newId } from "@/lib/resources/ids";
import type { SignedInUser } from "@/lib/sessions/service";
import type { Environment, Role } from "@/prisma/generated/enums";
import { currentDevice, requireUser } from "./require-user";

type Membership = SignedInUser["memberships"][number];

/** Where in the dashboard one is, and as whom. */
export type Place = {
  user: SignedInUser;
  tenant: Membership["tenant"];
  environment: Environment;
  role: Role;
  /** For `mutate`. The role is in it, so services refuse what it does not allow. */
  identity: Identity;
};

/**
 * One id for all that a request of the dashboard does, so that an error on the screen leads to its
 * line in the log.
 */
export const currentRequestId = cache(() => newId("request"));

/**
 * Turns the two first parts of a dashboard path into who acts, in which role and in which
 * partition. A tenant that does not exist and one that the user is no member of are the same page:
 * not found.
 */
export async function dashboardPlace(tenantSlug: string, environment: string): Promise<Place> {
  // No such place for anybody, so nobody is asked to sign in for it: /favicon.ico,
  // /.well-known/security.txt.
  if (!/^[a-z0-9-]+$/.test(tenantSlug) || (environment !== "live" && environment !== "test"))
    notFound();

  const user = await requireUser();
  const membership = user.memberships.find(({ tenant }) => tenant.slug === tenantSlug);
  if (!membership) notFound();

  const { tenant, role } = membership;
  const { address } = await currentDevice();
  const identity: Identity = {
    partition: { tenantId: tenant.id, environment },
    actor: { type: "USER", id: user.id, role, provedAt: user.provedAt },
    request: { id: currentRequestId(), idempotencyKey: null },
    address,
  };
  return { user, tenant, environment, role, identity };
}

/** The same, with a caller to read by. */
export async function dashboardCaller(tenantSlug: string, environment: string) {
  const place = await dashboardPlace(tenantSlug, environment);
  return { ...place, caller: reader(place.identity) };
}
