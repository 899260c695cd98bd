import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { cache } from "react";
import { type Identity, reader } from "@/lib/platform/caller";
import { pathHeader } from "@/lib/platform/page-headers";
import { newId } from "@/lib/resources/ids";
import type { SignedInUser } from "@/lib/sessions/service";
import type { Environment, Role } from "@/prisma/generated/enums";
import { currentAddress, requireUser } from "./require-user";

type Membership = SignedInUser["memberships"][number];

/** Where in the dashboard the user is, and in which role. */
export type Place = {
  user: SignedInUser;
  tenant: Membership["tenant"];
  environment: Environment;
  role: Role;
  /** For `mutate`. It contains the role, so services refuse what the role does not allow. */
  identity: Identity;
};

/**
 * One id for everything that a dashboard request does, so that an error on the screen leads to its
 * log line.
 */
export const currentRequestId = cache(() => newId("request"));

/**
 * Turns the first two segments of a dashboard path into the acting user, their role and the
 * partition. A tenant that does not exist and one that the user does not belong to get the same
 * "not found" page. Where the tenant requires a second factor, a user without one is sent to set one
 * up. Every page, action and route of a tenant goes through here.
 */
export async function dashboardPlace(tenantSlug: string, environment: string): Promise<Place> {
  // Such a page does not exist for any user, so a visitor is not asked to sign in for it:
  // /favicon.ico, /.well-known/security.txt.
  if (!/^[a-z0-9-]+$/.test(tenantSlug) || (environment !== "live" && environment !== "test"))
    notFound();

  const user = await requireUser();
  const membership = user.memberships.find(({ tenant }) => tenant.slug === tenantSlug);
  if (!membership) notFound();

  const { tenant, role } = membership;
  if (tenant.movedTo) redirect(`${tenant.movedTo}/${tenant.slug}/${environment}`);
  if (tenant.requiresSecondFactor && !user.hasSecondFactor) {
    const path = (await headers()).get(pathHeader) ?? `/${tenant.slug}/${environment}`;
    redirect(`/second-factor?callbackUrl=${encodeURIComponent(path)}`);
  }
  const address = await currentAddress();
  const { id, provedAt, sessionId } = user;
  const identity: Identity = {
    partition: { tenantId: tenant.id, environment },
    actor: { type: "USER", id, role, provedAt, sessionId },
    request: { id: currentRequestId(), idempotencyKey: null },
    address,
  };
  return { user, tenant, environment, role, identity };
}

/** The same, with a caller for reads. A page and its title share it. */
export const dashboardCaller = cache(async (tenantSlug: string, environment: string) => {
  const place = await dashboardPlace(tenantSlug, environment);
  return { ...place, caller: reader(place.identity) };
});
