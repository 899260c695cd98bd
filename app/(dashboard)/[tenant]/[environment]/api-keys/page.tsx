import type { ReactNode } from "react";
import { pageOf } from "@/app/(dashboard)/page-of";
import { CreateKeyDialog } from "@/components/api-keys/create-key-dialog";
import { KeyTable } from "@/components/api-keys/key-table";
import { CopyBlock } from "@/components/ui/copy";
import { scopePresets, scopeResources } from "@/lib/api-keys/scope-choices";
import { listApiKeys } from "@/lib/api-keys/service";
import { apiKeyStatus } from "@/lib/api-keys/status";
import { requireRole } from "@/lib/auth/roles";
import { env } from "@/lib/env";
import { userNames } from "@/lib/users/service";
import { createApiKeyAction, revokeApiKeyAction } from "./actions";

export const metadata = { title: "API keys" };

export default pageOf(async ({ caller, tenant, environment, now }) => {
  requireRole(caller, "ADMIN", "manage API keys");
  const apiKeys = await listApiKeys(caller);
  const names = await userNames(caller, [...new Set(apiKeys.flatMap(({ createdById }) => createdById ?? []))]);
  const rows = apiKeys.map((key) => ({
    ...key,
    scopesLabel: scopesLabel(key.scopes),
    // Keys without a maker come from the operator's command line.
    createdBy: key.createdById ? (names.get(key.createdById) ?? "A former member") : "Operator",
    status: apiKeyStatus(key, now),
  }));

  const create = (
    <CreateKeyDialog
      tenantSlug={tenant.slug}
      environment={environment}
      apiUrl={env().APP_URL}
      presets={scopePresets}
      resources={scopeResources}
      createKey={createApiKeyAction.bind(null, tenant.slug)}
    />
  );
  return (
    <Frame action={create}>
      {rows.length > 0 ? (
        <KeyTable keys={rows} environment={environment} now={now} revokeKey={revokeApiKeyAction.bind(null, tenant.slug)} />
      ) : (
        <div className="rounded-2xl border border-line border-dashed bg-surface px-5 py-10 sm:px-10">
          <h2 className="font-semibold text-base">No {environment} keys yet</h2>
          <p className="mt-1 mb-5 max-w-prose text-muted">Create the first one, then send it with each request:</p>
          <CopyBlock
            label="Copy the curl command"
            text={`curl ${env().APP_URL}/v1/public/account -H "Authorization: Bearer ${env().SERVICE_PREFIX}_${environment}_…"`}
          />
        </div>
      )}
    </Frame>
  );
});

function Frame({ action, children }: { action?: ReactNode; children: ReactNode }) {
  return (
    <>
      <div className="mb-6 flex flex-wrap items-end justify-between gap-4">
        <div className="space-y-1">
          <h1 className="font-semibold text-2xl tracking-tight">API keys</h1>
          <p className="text-muted">Each works in one environment, for the scopes it was given.</p>
        </div>
        {action}
      </div>
      {children}
    </>
  );
}

function scopesLabel(scopes: string[]): string {
  const preset = scopePresets.find(
    (candidate) => candidate.scopes.length === scopes.length && candidate.scopes.every((scope) => scopes.includes(scope)),
  );
  if (preset) return preset.name;
  return scopes.length === 1 ? (scopes[0] ?? "") : `${scopes.length} scopes`;
}
