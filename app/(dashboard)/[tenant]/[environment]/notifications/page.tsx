import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { MarkAllRead } from "@/components/notifications/mark-all-read";
import { Badge } from "@/components/ui/badge";
import { ButtonLink } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { Link } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { listNotifications } from "@/lib/notifications/service";
import { markReadAction } from "./actions";

export const metadata = { title: "Notifications" };

export default dashboardPage(async ({ caller, tenant, environment, base, now }) => {
  const notifications = await listNotifications(caller);
  const hasUnread = notifications.some(({ isUnread }) => isUnread);
  return (
    <>
      <PageHeader
        title="Notifications"
        description={`Assignments, mentions and warnings in the ${environment} environment of ${tenant.name}, for 30 days.`}
        actions={
          <>
            <ButtonLink href={`${base}/settings/notifications`} variant="secondary">
              Choose what you get
            </ButtonLink>
            {hasUnread ? (
              <MarkAllRead
                mark={markReadAction.bind(null, { tenant: tenant.slug, environment }, null)}
              />
            ) : null}
          </>
        }
      />
      {notifications.length === 0 ? (
        <EmptyState title="No notifications">
          You are notified here when a conversation is assigned to you, or when a member writes @
          and your name in a note or message. Owners and admins are also notified when storage
          reaches 80% or 100% of its quota.
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line rounded-2xl border border-line bg-surface">
          {notifications.map(({ id, page, sentence, about, createdAt, isUnread }) => (
            <li key={id}>
              <Link
                href={`${base}/${page}`}
                className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 hover:bg-sunken"
              >
                <span className="min-w-0 flex-1 basis-60">
                  <span
                    dir="auto"
                    className={`block break-words ${isUnread ? "font-medium" : "text-muted"}`}
                  >
                    {sentence}
                  </span>
                  <span dir="auto" className="block truncate text-muted">
                    {about}
                  </span>
                </span>
                {isUnread ? <Badge variant="accent">Unread</Badge> : null}
                <span className="shrink-0 text-muted">
                  <Time at={createdAt} now={now} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </>
  );
});
