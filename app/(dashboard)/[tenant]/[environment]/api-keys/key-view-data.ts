import type { KeyChoices, KeySummary } from "@/components/api-keys/types";
import { relativeTime } from "@/components/ui/relative-time";
import { scopePresets, scopeResources } from "@/lib/api-keys/scope-choices";
import type { getApiKey } from "@/lib/api-keys/service";
import type { Place } from "@/lib/auth/dashboard-caller";
import type { Caller } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import type { RequestCount } from "@/lib/request-logs/service";
import { rateLimitOfPlan } from "@/lib/tenants/service";

type ApiKey = Awaited<ReturnType<typeof getApiKey>>;

export async function keyChoices(
  caller: Caller,
  { tenant, environment }: Pick<Place, "tenant" | "environment">,
): Promise<KeyChoices> {
  return {
    tenantSlug: tenant.slug,
    environment,
    apiUrl: env().APP_URL,
    presets: scopePresets,
    resources: scopeResources,
    planRateLimit: await rateLimitOfPlan(caller),
  };
}

/** @param lastDay the key's requests of the last 24 hours */
export function keySummary(key: ApiKey, lastDay: RequestCount[], now: Date): KeySummary {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    scopes: key.scopes as KeySummary["scopes"],
    allowedIps: key.allowedIps,
    rateLimitPerMinute: key.rateLimitPerMinute,
    isCappedByPlan: key.isCappedByPlan,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsed: key.lastUsedAt && relativeTime(key.lastUsedAt, now),
    requestsLastDay: requestsPerHour(lastDay).reduce((total, count) => total + count, 0),
  };
}

export const requestsPerHour = (counts: RequestCount[]) =>
  counts.map(({ succeeded, rejected, failed }) => succeeded + rejected + failed);

/** Who created a key. Keys without a creator come from the operator's command line. */
export const creatorName = ({ createdById }: ApiKey, names: Map<string, string>) =>
  createdById ? (names.get(createdById) ?? "A former member") : "Operator";

export function scopesLabel(scopes: string[]): string {
  const preset = scopePresets.find(
    (candidate) =>
      candidate.scopes.length === scopes.length &&
      candidate.scopes.every((scope) => scopes.includes(scope)),
  );
  if (preset) return preset.name;
  return scopes.length === 1 ? (scopes[0] ?? "") : `${scopes.length} scopes`;
}
