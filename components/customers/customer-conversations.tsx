import { statusLabels, statusVariants } from "@/components/conversations/labels";
import { Badge } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import { Time } from "@/components/ui/time";
import type { Conversation } from "@/lib/conversations/schema";

/** The newest of a customer's conversations. */
export function CustomerConversations({
  conversations,
  base,
  now,
}: {
  conversations: Conversation[];
  base: string;
  now: Date;
}) {
  return (
    <ul className="-my-3 divide-y divide-line">
      {conversations.map(({ id, subject, status, channelId, lastMessagePreview, updatedAt }) => (
        <li key={id} className="flex items-start gap-3 py-3">
          <div className="min-w-0 flex-1">
            <Link
              dir="auto"
              href={`${base}/conversations/${id}?status=all`}
              className="wrap-anywhere line-clamp-2 w-fit font-medium text-accent hover:underline"
            >
              {subject ?? lastMessagePreview ?? id}
            </Link>
            {subject && lastMessagePreview ? (
              <p dir="auto" className="wrap-anywhere line-clamp-1 text-muted">
                {lastMessagePreview}
              </p>
            ) : null}
            <p className="text-muted text-xs">
              <bdi>{channelId}</bdi> · <Time at={new Date(updatedAt)} now={now} />
            </p>
          </div>
          <Badge variant={statusVariants[status]}>{statusLabels[status]}</Badge>
        </li>
      ))}
    </ul>
  );
}
