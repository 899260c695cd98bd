import { Plus } from "lucide-react";
import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { AutoRefresh } from "@/components/ui/auto-refresh";
import { ButtonLink } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { RoleNote } from "@/components/ui/role-note";
import { WebhookTable } from "@/components/webhooks/webhook-table";
import { attemptsByHour } from "@/lib/deliveries/attempts-by-hour";
import { env } from "@/lib/platform/env";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { disableAfterFailures } from "@/lib/webhooks/health";
import { sortWebhooksQuery } from "@/lib/webhooks/schema";
import { listWebhooks, maximumWebhooks } from "@/lib/webhooks/service";

export const metadata = { title: "Webhooks" };

export default dashboardPage(async ({ caller, role, environment, base, query, now }) => {
  const { data: webhooks, nextCursor } = await listWebhooks(
    caller,
    parse(sortWebhooksQuery, query, "query"),
  );
  const ids = webhooks.map(({ id }) => id);
  const hours = await attemptsByHour(caller, ids, { now, hours: 24 });
  const isFull = webhooks.length >= maximumWebhooks;

  const create = hasRole(role, "ADMIN") ? (
    <ButtonLink href={`${base}/webhooks/new`}>
      <Plus className="size-4" aria-hidden="true" />
      Create webhook
    </ButtonLink>
  ) : (
    <RoleNote sentence={roleSentence("ADMIN", "create webhooks")} />
  );
  const full = (
    <p className="max-w-xs text-muted">
      You've reached the limit of {maximumWebhooks} webhooks. Delete one to create another.
    </p>
  );
  return (
    <>
      <PageHeader
        title="Webhooks"
        aside={
          webhooks.length > 0 ? (
            <span className="text-muted tabular-nums">
              {webhooks.length} of {maximumWebhooks}
            </span>
          ) : null
        }
        description="Your URLs that receive events. Every request is signed, and retried until your server accepts it."
        guide="webhooks"
        actions={webhooks.length === 0 ? null : isFull ? full : create}
      />
      {webhooks.length > 0 ? (
        <>
          <WebhookTable
            webhooks={webhooks.map((webhook) => ({
              ...webhook,
              hours: hours.get(webhook.id) ?? [],
            }))}
            path={`${base}/webhooks`}
            sorting={{ path: `${base}/webhooks`, query, initial: "created" }}
            disableAfterFailures={disableAfterFailures}
            now={now}
          />
          <Pager path={`${base}/webhooks`} query={query} nextCursor={nextCursor} />
          <AutoRefresh everyMs={5_000} />
        </>
      ) : (
        <EmptyState
          title={`No ${environment} webhooks yet`}
          action={create}
          curl={`curl ${env().APP_URL}/v1/public/webhooks -H "Authorization: Bearer ${env().SERVICE_PREFIX}_${environment}_…" -H "Content-Type: application/json" -d '{"url":"https://example.com/parlance","events":["*"]}'`}
        >
          A webhook receives a POST for each event it subscribes to, such as a new message or an
          updated conversation. Failed deliveries are retried for a day and a half.
        </EmptyState>
      )}
    </>
  );
});
