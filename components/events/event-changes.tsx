import type { Event } from "@/lib/events/schema";

/** The fields that changed with an event, and their previous values. */
export function EventChanges({
  data: { object, previousAttributes = {} },
}: {
  data: Event["data"];
}) {
  return (
    <ul className="space-y-2">
      {Object.entries(previousAttributes).map(([field, before]) => (
        <li key={field} className="grid gap-x-6 gap-y-0.5 sm:grid-cols-[10rem_minmax(0,1fr)]">
          <code className="font-mono text-muted text-xs leading-5">{field}</code>
          <span className="min-w-0 break-words font-mono text-xs leading-5">
            <del className="text-danger no-underline">
              <span className="sr-only">Before: </span>
              {JSON.stringify(before)}
            </del>{" "}
            <span aria-hidden="true">→</span>{" "}
            <ins className="text-good no-underline">
              <span className="sr-only">after: </span>
              {JSON.stringify(object[field])}
            </ins>
          </span>
        </li>
      ))}
    </ul>
  );
}
