import { Badge } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import { Time } from "@/components/ui/time";

type FailingWebhook = {
  id: string;
  url: string;
  isDisabled: boolean;
  consecutiveFailures: number;
  unsent: string;
  oldestHeldAt: Date | null;
};

/** Webhooks whose receivers fail, and the deliveries waiting for them. */
export function FailingWebhooks({
  failing,
  base,
  disableAfterFailures,
  now,
}: {
  failing: FailingWebhook[];
  base: string;
  disableAfterFailures: number;
  now: Date;
}) {
  return (
    <ul className="divide-y divide-line">
      {failing.map(({ id, url, isDisabled, consecutiveFailures, unsent, oldestHeldAt }) => (
        <li
          key={id}
          className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2.5 first:pt-0 last:pb-0"
        >
          <Link
            href={`${base}/webhooks/${id}`}
            className="min-w-0 truncate text-accent hover:underline"
          >
            {url}
          </Link>
          <span className="flex items-center gap-3 text-muted">
            <span>
              {unsent}
              {oldestHeldAt ? (
                <>
                  , oldest from <Time at={oldestHeldAt} now={now} />
                </>
              ) : null}
            </span>
            {isDisabled ? (
              <Badge variant="danger">Disabled</Badge>
            ) : (
              <Badge variant="warn">
                {consecutiveFailures}/{disableAfterFailures} failures
              </Badge>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
