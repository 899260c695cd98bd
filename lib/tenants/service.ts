import type { Caller } from "@/lib/caller";
import { type Db, db } from "@/lib/db";
import { newId } from "@/lib/ids";
import type { Plan } from "@/prisma/generated/enums";

/** Requests a minute that a key may make unless it has a figure of its own. */
export const planRateLimits: Record<Plan, number> = { FREE: 60, PRO: 600, SCALE: 6_000 };

/**
 * @returns the new tenant; its slug is made from the name, with a number behind it where that one is taken.
 */
export async function createTenant(transaction: Db, { name, plan = "FREE" }: { name: string; plan?: Plan }) {
  const base = slugify(name);
  for (let suffix = takenPaths.has(base) ? 2 : 1; ; suffix++) {
    const tenant = { id: newId("tenant"), slug: suffix === 1 ? base : `${base}-${suffix}`, name, plan, createdAt: new Date() };
    const created = await transaction.tenant.createManyAndReturn({ data: [tenant], skipDuplicates: true });
    if (created[0]) return created[0];
  }
}

/** Requests a minute that a key of the caller's tenant may make, unless it has a figure of its own. */
export async function rateLimitOfPlan({ db, partition }: Caller): Promise<number> {
  const { plan } = await db.tenant.findUniqueOrThrow({ where: { id: partition.tenantId }, select: { plan: true } });
  return planRateLimits[plan];
}

export function findTenantBySlug(slug: string) {
  return db().tenant.findUnique({ where: { slug } });
}

/** A tenant's slug is the first part of its dashboard's paths, where these have another meaning. */
const takenPaths = new Set(["api", "dev", "docs", "health", "invite", "login", "metrics", "password", "ready", "signup", "v1", "welcome"]);

function slugify(name: string): string {
  const slug = name
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-|-$/g, "");
  return slug || "tenant";
}
