import { guideEntries, type SearchEntry } from "@/components/docs/search-index";
import { publishedDocument } from "@/lib/api/openapi";
import { eventTypes } from "@/lib/events/event-types";
import { errorKinds } from "@/lib/platform/errors";
import { referencePath } from "@/lib/platform/openapi";

/** Everything that the documentation's search can find. */
export function GET(): Response {
  const operations = Object.entries(publishedDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, operationId, summary }]) => ({
      title: summary,
      page: `${method.toUpperCase()} ${path}`,
      href: `${referencePath(tags[0] ?? "")}#${operationId}`,
    })),
  );
  const errors = Object.entries(errorKinds).map(([kind, { status, title }]) => ({
    title: `${status} ${kind}`,
    page: title,
    href: `/docs/errors/${kind}`,
  }));
  const events = eventTypes.map((type) => ({
    title: type,
    page: "Event",
    href: `/docs/events#${type}`,
  }));
  const entries: SearchEntry[] = [...guideEntries, ...operations, ...errors, ...events];
  return Response.json(entries, { headers: { "Cache-Control": "public, max-age=300" } });
}

export const dynamic = "force-dynamic";
