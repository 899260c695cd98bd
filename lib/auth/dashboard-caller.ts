import { notFound } from "next/navigation";
import type { Identity } from "@/lib/caller";
import { newId } from "@/lib/ids";
import type { SignedInUser } from "@/lib/sessions/service";
import type { Environment, Role } from "@/prisma/generated/enums";
import { currentDevice, requireUser } from "./require-user";
import { hasRole } from "./roles";

type Membership = SignedInUser["memberships"][number];
type Place = { user: SignedInUser; tenant: Membership["tenant"]; environment: Environment; role: Role };

/** There is an identity to act with only where the role allows it. */
export type DashboardCaller = Place & ({ isAllowed: true; identity: Identity } | { isAllowed: false; minimumRole: Role });

/** A tenant that does not exist and one that the user is no member of are the same page: not found. */
export async function dashboardPlace(tenantSlug: string, environment: string, page = ""): Promise<Place> {
  // No such place for anybody, so nobody is asked to sign in for it: /favicon.ico, /.well-known/security.txt.
  if (!/^[a-z0-9-]+$/.test(tenantSlug) || (environment !== "live" && environment !== "test")) notFound();

  const user = await requireUser(`/${tenantSlug}/${environment}${page}`);
  const membership = user.memberships.find(({ tenant }) => tenant.slug === tenantSlug);
  if (!membership) notFound();
  return { user, tenant: membership.tenant, environment, role: membership.role };
}

/** Turns the two first parts of a dashboard path into who acts, and in which partition. */
export async function dashboardCaller(tenantSlug: string, environment: string, minimumRole: Role, page?: string): Promise<DashboardCaller> {
  const place = await dashboardPlace(tenantSlug, environment, page);
  if (!hasRole(place.role, minimumRole)) return { ...place, isAllowed: false, minimumRole };

  const { address } = await currentDevice();
  const identity: Identity = {
    partition: { tenantId: place.tenant.id, environment: place.environment },
    actor: { type: "USER", id: place.user.id },
    request: { id: newId("request"), idempotencyKey: null },
    address,
  };
  return { ...place, isAllowed: true, identity };
}
