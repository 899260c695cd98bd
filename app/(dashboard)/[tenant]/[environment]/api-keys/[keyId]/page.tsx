import { cache } from "react";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { describeKey, onDay } from "@/components/api-keys/describe-key";
import { GrantedScopes } from "@/components/api-keys/granted-scopes";
import { KeyAudit } from "@/components/api-keys/key-audit";
import { KeyButtons, KeyDialogs } from "@/components/api-keys/key-dialogs";
import { KeyStatus, StatusBadge } from "@/components/api-keys/key-status";
import { RequestChart } from "@/components/request-logs/request-chart";
import { RequestTable } from "@/components/request-logs/request-table";
import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { Facts, Panel } from "@/components/ui/panel";
import { RoleNote } from "@/components/ui/role-note";
import { Time } from "@/components/ui/time";
import { rateLimitOf } from "@/lib/api-keys/rate-limit";
import { findPredecessor, getApiKey } from "@/lib/api-keys/service";
import { apiKeyStatus } from "@/lib/api-keys/status";
import { listAuditTrail } from "@/lib/audit/service";
import type { Caller } from "@/lib/platform/caller";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { countRequestHoursOfKeys, lastHours, listRequestLogs } from "@/lib/request-logs/service";
import { userNames } from "@/lib/users/service";
import { bindKeyActions } from "../bind-key-actions";
import { creatorName, keyChoices, keySummary } from "../key-view-data";

const load = cache(getApiKey);

export const generateMetadata = objectTitle<"keyId">(
  "API keys",
  async (caller, { keyId }) => (await load(caller, keyId)).name,
);

type ApiKey = Awaited<ReturnType<typeof getApiKey>>;

export default dashboardPage<"keyId">(
  async ({ caller, role, tenant, environment, base, params, now }) => {
    const key = await load(caller, params.keyId);
    const canManage = hasRole(role, "ADMIN");
    const month = lastHours(now, 720, 24);
    const [choices, predecessor, successor, days, hours, { data: requests }, trail, names] =
      await Promise.all([
        keyChoices(caller, { tenant, environment }),
        findPredecessor(caller, key.id),
        key.replacedById ? getApiKey(caller, key.replacedById) : null,
        countRequestHoursOfKeys(caller, [key.id], month),
        countRequestHoursOfKeys(caller, [key.id], lastHours(now)),
        listRequestLogs(caller, { apiKeyId: key.id, limit: 10, order: "desc" }),
        canManage ? auditTrail(caller, key.id) : null,
        userNames(caller, key.createdById ? [key.createdById] : []),
      ]);
    const status = apiKeyStatus(key, now);
    const hasEnded = status === "revoked" || status === "expired";
    const logs = `${base}/logs?apiKeyId=${key.id}`;
    const summary = keySummary(key, hours.get(key.id) ?? [], now);
    const rateLimit = rateLimitOf(key, choices.planRateLimit);
    const terms = {
      ...summary,
      rateLimitPerMinute: key.rateLimitPerMinute && rateLimit,
      end: key.expiresAt ? onDay(key.expiresAt) : null,
    };
    return (
      <KeyDialogs choices={choices} actions={bindKeyActions({ tenant: tenant.slug, environment })}>
        <PageHeader
          trail={[{ name: "API keys", href: `${base}/api-keys` }]}
          title={key.name}
          aside={<StatusBadge status={status} />}
          description={
            hasEnded
              ? "This key no longer works. Its requests stay in the logs."
              : describeKey(choices.resources, terms)
          }
          actions={
            !canManage ? (
              <RoleNote sentence={roleSentence("ADMIN", "edit and revoke API keys")} />
            ) : hasEnded ? null : (
              <KeyButtons apiKey={summary} isRolling={key.replacedById !== null} />
            )
          }
        />
        <div className="mb-4 grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <Panel title="Details">
            <Facts
              facts={[
                { name: "ID", value: <CopyableId id={key.id} /> },
                { name: "Key", value: <code className="font-mono text-xs">{key.hint}</code> },
                { name: "Status", value: <KeyStatus apiKey={{ ...key, status }} now={now} /> },
                { name: "Created", value: <Created apiKey={key} names={names} now={now} /> },
                {
                  name: "Last used",
                  value: key.lastUsedAt ? <Time at={key.lastUsedAt} now={now} /> : "Never",
                },
                {
                  name: "Expires",
                  value: key.expiresAt ? <Time at={key.expiresAt} now={now} /> : "Never",
                },
                {
                  name: "Allowed IP addresses",
                  value: key.allowedIps.length > 0 ? key.allowedIps.join(", ") : "Any",
                },
                {
                  name: "Rate limit",
                  value: `${rateLimit.toLocaleString("en")} requests per minute${rateLimitOrigin(key, rateLimit)}`,
                },
                ...(predecessor
                  ? [{ name: "Replaces", value: <KeyLink apiKey={predecessor} base={base} /> }]
                  : []),
                ...(successor
                  ? [{ name: "Replaced by", value: <KeyLink apiKey={successor} base={base} /> }]
                  : []),
              ]}
            />
          </Panel>
          <Panel title="Scopes">
            <GrantedScopes resources={choices.resources} scopes={key.scopes} />
          </Panel>
        </div>
        <div className="space-y-4">
          <Panel title="Requests, last 30 days">
            <RequestChart
              caption="Requests with this key per day, last 30 days"
              counts={days.get(key.id) ?? []}
              hrefOf={({ from, to }) =>
                `${logs}&since=${from.toISOString()}&until=${to.toISOString()}`
              }
            />
          </Panel>
          <section aria-labelledby="recent">
            <div className="mb-3 flex flex-wrap items-baseline justify-between gap-3">
              <h2 id="recent" className="font-semibold text-base">
                Recent requests
              </h2>
              <Link href={`${logs}&range=30d`} className="text-accent hover:underline">
                All requests with this key
              </Link>
            </div>
            {requests.length > 0 ? (
              <RequestTable
                caption="The latest requests with this key"
                requests={requests}
                hrefOf={(id) => `${base}/logs/${id}`}
              />
            ) : (
              <p className="text-muted">No requests in the last 30 days.</p>
            )}
          </section>
          <Panel title="History">
            {trail ? (
              <KeyAudit entries={trail} now={now} />
            ) : (
              <RoleNote sentence={roleSentence("ADMIN", "read the audit log")} />
            )}
          </Panel>
        </div>
      </KeyDialogs>
    );
  },
);

function rateLimitOrigin({ rateLimitPerMinute }: ApiKey, rateLimit: number): string {
  if (rateLimitPerMinute === null) return " (plan default)";
  if (rateLimitPerMinute === rateLimit) return "";
  return ` (plan limit; the key’s own is ${rateLimitPerMinute.toLocaleString("en")})`;
}

async function auditTrail(caller: Caller, keyId: string) {
  const entries = await listAuditTrail(caller, keyId);
  return entries.map(({ actorName, ...entry }) => ({
    ...entry,
    actor: actorName ?? "Operator",
  }));
}

function Created({
  apiKey,
  names,
  now,
}: {
  apiKey: ApiKey;
  names: Map<string, string>;
  now: Date;
}) {
  return (
    <>
      <Time at={apiKey.createdAt} now={now} /> by {creatorName(apiKey, names)}
    </>
  );
}

function KeyLink({ apiKey, base }: { apiKey: ApiKey; base: string }) {
  return (
    <Link href={`${base}/api-keys/${apiKey.id}`} className="text-accent hover:underline">
      {apiKey.name} <code className="font-mono text-xs">{apiKey.hint}</code>
    </Link>
  );
}
