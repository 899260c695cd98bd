import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { CreateKeyButton, KeyDialogs } from "@/components/api-keys/key-dialogs";
import { statusNames } from "@/components/api-keys/key-status";
import { KeyTable } from "@/components/api-keys/key-table";
import { EmptyState } from "@/components/ui/empty-state";
import { Filters } from "@/components/ui/filters";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { RoleNote } from "@/components/ui/role-note";
import { listApiKeysQuery } from "@/lib/api-keys/schema";
import { listApiKeys } from "@/lib/api-keys/service";
import { apiKeyStatus, apiKeyStatuses } from "@/lib/api-keys/status";
import { env } from "@/lib/platform/env";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { countRequestHoursOfKeys, lastHours } from "@/lib/request-logs/service";
import { userNames } from "@/lib/users/service";
import { bindKeyActions } from "./bind-key-actions";
import { creatorName, keyChoices, keySummary, requestsPerHour, scopesLabel } from "./key-view-data";

export const metadata = { title: "API keys" };

export default dashboardPage(async ({ caller, role, tenant, environment, base, query, now }) => {
  const { create: _opensDialog, ...asked } = query;
  const { status, ...page } = parse(listApiKeysQuery, asked, "query");
  const listing = listApiKeys(caller, { status, ...page }, now);
  const [{ data: keys, nextCursor }, names, requests, choices] = await Promise.all([
    listing,
    listing.then(({ data }) =>
      userNames(caller, [...new Set(data.flatMap(({ createdById }) => createdById ?? []))]),
    ),
    listing.then(({ data }) =>
      countRequestHoursOfKeys(
        caller,
        data.map(({ id }) => id),
        lastHours(now),
      ),
    ),
    keyChoices(caller, { tenant, environment }),
  ]);
  const rows = keys.map((key) => {
    const lastDay = requests.get(key.id) ?? [];
    return {
      createdAt: key.createdAt,
      lastUsedAt: key.lastUsedAt,
      expiresAt: key.expiresAt,
      revokedAt: key.revokedAt,
      summary: keySummary(key, lastDay, now),
      scopesLabel: scopesLabel(key.scopes),
      createdBy: creatorName(key, names),
      status: apiKeyStatus(key, now),
      requests: requestsPerHour(lastDay),
    };
  });

  const canManage = hasRole(role, "ADMIN");
  const create = canManage ? (
    <CreateKeyButton />
  ) : (
    <RoleNote sentence={roleSentence("ADMIN", "create, edit and revoke API keys")} />
  );
  const isFiltered = status !== undefined || page.cursor !== undefined;
  return (
    <KeyDialogs choices={choices} actions={bindKeyActions({ tenant: tenant.slug, environment })}>
      <PageHeader
        title="API keys"
        description="A key works in one environment and only for its scopes. It is shown once, when you create it."
        guide="api-keys"
        actions={rows.length > 0 || isFiltered ? create : null}
      />
      {rows.length > 0 || isFiltered ? (
        <Filters
          filters={[
            {
              name: "status",
              label: "Status",
              options: apiKeyStatuses.map((value) => ({ value, label: statusNames[value] })),
            },
          ]}
        />
      ) : null}
      {rows.length > 0 ? (
        <KeyTable
          keys={rows}
          base={base}
          sorting={{ path: `${base}/api-keys`, query: asked, initial: "created" }}
          now={now}
          canManage={canManage}
        />
      ) : isFiltered ? (
        <EmptyState title="No keys match these filters">
          No {environment} key has this status. Clear the filter to see all keys.
        </EmptyState>
      ) : (
        <EmptyState
          title={`No ${environment} keys yet`}
          action={create}
          curl={`curl ${env().APP_URL}/v1/public/account -H "Authorization: Bearer ${env().SERVICE_PREFIX}_${environment}_…"`}
          curlLabel="Send it with each request:"
        >
          API keys let your programs use the API in {environment}. Create one to get started.
        </EmptyState>
      )}
      <Pager path={`${base}/api-keys`} query={query} nextCursor={nextCursor} />
    </KeyDialogs>
  );
});
