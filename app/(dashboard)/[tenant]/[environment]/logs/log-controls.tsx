import type { Query } from "@/app/(dashboard)/dashboard-page";
import { buttonClass } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { withQuery } from "@/components/ui/pager";
import { exactTime } from "@/components/ui/viewer-time";
import { type Range, ranges, type TimeRange } from "./log-time-range";

type Place = { path: string; query: Query };

export function TimeLinks({
  path,
  query,
  chosen,
  time,
}: Place & { chosen: Range | null; time: TimeRange }) {
  const className =
    "flex h-8 items-center whitespace-nowrap rounded-md px-2 text-muted sm:px-3 hover:text-ink aria-[current]:bg-surface aria-[current]:font-medium aria-[current]:text-ink aria-[current]:shadow-sm";
  return (
    <nav aria-label="Time range" className="mb-4 flex flex-wrap items-center gap-3">
      <ul className="flex flex-wrap rounded-lg border border-line bg-sunken p-0.5">
        {(Object.keys(ranges) as Range[]).map((range) => (
          <li key={range}>
            <Link
              href={withQuery(path, query, {
                range: range === "24h" ? null : range,
                since: null,
                until: null,
              })}
              aria-current={range === chosen ? "true" : undefined}
              className={className}
            >
              {ranges[range]}
            </Link>
          </li>
        ))}
      </ul>
      {chosen ? null : (
        <p className="text-muted tabular-nums">
          {exactTime(time.since)} to {time.until ? exactTime(time.until) : "now"}
        </p>
      )}
    </nav>
  );
}

/** A link, so that the URL says whether the page follows new requests. */
export function LiveTail({ path, query, isLive }: Place & { isLive: boolean }) {
  return (
    <Link
      href={withQuery(
        path,
        query,
        isLive ? { live: null } : { live: "1", since: null, until: null },
      )}
      className={buttonClass({ variant: "secondary" })}
    >
      <span
        className={`size-2 rounded-full ${isLive ? "animate-pulse bg-good" : "bg-line-strong"}`}
        aria-hidden="true"
      />
      {isLive ? "Stop live tail" : "Start live tail"}
    </Link>
  );
}
