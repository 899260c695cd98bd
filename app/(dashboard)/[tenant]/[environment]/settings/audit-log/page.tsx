import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { EntryList } from "@/components/audit/entry-list";
import { VerifyButton } from "@/components/audit/verify-button";
import { SettingsTabs } from "@/components/settings/settings-tabs";
import { buttonClass } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { Filters } from "@/components/ui/filters";
import { PageHeader } from "@/components/ui/page-header";
import { Pager, withQuery } from "@/components/ui/pager";
import { Time } from "@/components/ui/time";
import { viewerTime } from "@/components/ui/viewer-time";
import { apiKeyNames } from "@/lib/api-keys/service";
import { type AuditAction, auditActionNames, auditActions } from "@/lib/audit/actions";
import { listAuditQuery } from "@/lib/audit/schema";
import { auditTargetNames, listAuditEntries } from "@/lib/audit/service";
import { listMembers } from "@/lib/members/service";
import { kindOfId } from "@/lib/resources/ids";
import { nouns } from "@/lib/resources/registry";
import { userNames } from "@/lib/users/service";
import { verifyAuditAction } from "./actions";

export const metadata = { title: "Audit log" };

export default dashboardPage(async ({ caller, role, tenant, environment, base, query, now }) => {
  const path = `${base}/settings/audit-log`;
  const listing = listAuditEntries(
    caller,
    parse(listAuditQuery(viewerTime().zone), query, "query"),
  );
  const [{ data: entries, nextCursor }, members, [names, keys, targets]] = await Promise.all([
    listing,
    listMembers(caller, { limit: 100, order: "asc" }),
    listing.then(({ data }) => {
      const ids = [...new Set(data.map(({ targetId }) => targetId))];
      return Promise.all([
        userNames(caller, ids),
        apiKeyNames(caller, ids),
        auditTargetNames(caller, ids),
      ]);
    }),
  ]);
  const nameOfTarget = (id: string) =>
    keys.get(id)?.name ?? names.get(id) ?? targets.get(id) ?? null;
  const isFiltered = Object.keys(query).length > 0;
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Changes, sign-ins, exports and refused attempts in this organization, in both environments. Entries cannot be edited or deleted; each contains the hash of the previous one."
        guide="audit-log"
        actions={
          <a
            href={withQuery(`${path}/csv`, query, {})}
            download
            className={buttonClass({ variant: "secondary" })}
          >
            Download CSV
          </a>
        }
      />
      <SettingsTabs base={base} role={role} current="settings/audit-log" />
      <div className="mb-4">
        <VerifyButton verify={verifyAuditAction.bind(null, { tenant: tenant.slug, environment })} />
      </div>
      <Filters
        filters={[
          {
            name: "actor",
            label: "Actor",
            options: [
              ...members.data.map(({ id, name }) => ({ value: id, label: name })),
              { value: "system", label: "System" },
              { value: "admin", label: "Operators" },
            ],
          },
          {
            name: "action",
            label: "Action",
            options: auditActions.map((action) => ({
              value: action,
              label: auditActionNames[action],
            })),
          },
          { name: "from", label: "From", type: "date" },
          { name: "to", label: "To", type: "date" },
        ]}
      />
      {entries.length === 0 ? (
        <EmptyState title={isFiltered ? "No entries match these filters" : "No entries yet"}>
          <p>
            {isFiltered
              ? "Clear a filter to see more entries."
              : "Changes to keys, webhooks, agents, members and settings appear here."}
          </p>
        </EmptyState>
      ) : (
        <EntryList
          entries={entries.map(
            ({ createdAt, actorType, actorId, actorName, action, ...entry }) => ({
              ...entry,
              targetName: nameOfTarget(entry.targetId),
              at: createdAt,
              time: <Time at={createdAt} now={now} />,
              actor: { id: actorId, name: displayedActor(actorType, actorName) },
              actorHref: withQuery(path, {}, { actor: actorId }),
              action: auditActionNames[action as AuditAction] ?? action,
              targetHref:
                nameOfTarget(entry.targetId) && hasPage(entry.targetId)
                  ? `/${tenant.slug}/${entry.environment ?? environment}/go/${entry.targetId}`
                  : null,
            }),
          )}
        />
      )}
      <Pager path={path} query={query} nextCursor={nextCursor} />
    </>
  );
});

/** Actors that have no name. */
const unnamedActors: Record<string, string> = {
  SYSTEM: "System",
  OPERATOR: "An operator",
};

function displayedActor(type: string, name: string | null): string {
  if (name === null) return unnamedActors[type] ?? type;
  return type === "API_KEY" ? `${name} (API key)` : name;
}

const hasPage = (id: string) => {
  const kind = kindOfId(id);
  return kind !== null && "dashboardPath" in nouns[kind];
};
