import { rateLimitOf } from "@/lib/api-keys/rate-limit";
import type { Scope } from "@/lib/api-keys/scopes";
import type { Caller } from "@/lib/platform/caller";
import { notFound } from "@/lib/resources/not-found";
import { planRateLimits } from "@/lib/tenants/service";
import type { Account } from "./schema";

/** The tenant of the request's key, and the key itself. */
export async function getAccount({ db, partition, actor }: Caller): Promise<Account> {
  const key = await db.apiKey.findUnique({
    where: { tenantId_environment_id: { ...partition, id: actor.id } },
    include: { tenant: true },
  });
  if (!key) throw notFound("apiKey", actor.id);
  const { tenant } = key;
  return {
    id: tenant.id,
    name: tenant.name,
    plan: tenant.plan,
    environment: partition.environment,
    key: {
      id: key.id,
      name: key.name,
      scopes: key.scopes as Scope[],
      expiresAt: key.expiresAt?.toISOString() ?? null,
    },
    rateLimit: { limit: rateLimitOf(key, planRateLimits[tenant.plan]), windowSeconds: 60 },
    createdAt: tenant.createdAt.toISOString(),
  };
}
