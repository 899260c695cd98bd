/** A placeholder with the height of a list. */
export function ListSkeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div
      className="animate-pulse divide-y divide-line rounded-2xl border border-line bg-surface"
      aria-hidden="true"
    >
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: only their index distinguishes them.
        <div key={row} className="flex h-14 items-center gap-6 px-5">
          <div className="h-3 w-1/3 rounded bg-sunken" />
          <div className="h-3 w-1/6 rounded bg-sunken" />
          <div className="ml-auto h-3 w-24 rounded bg-sunken" />
        </div>
      ))}
    </div>
  );
}

/** A placeholder for a form. */
function FormSkeleton() {
  return (
    <div className="max-w-2xl animate-pulse space-y-6" aria-hidden="true">
      {["a", "b", "c", "d"].map((field) => (
        <div key={field} className="space-y-1.5">
          <div className="h-4 w-28 rounded bg-sunken" />
          <div className="h-9 rounded-lg bg-sunken" />
        </div>
      ))}
      <div className="h-9 w-32 rounded-lg bg-sunken" />
    </div>
  );
}

export function PageSkeleton({ isForm = false }: { isForm?: boolean }) {
  return (
    <div role="status">
      <span className="sr-only">Loading…</span>
      <div className="mb-6 animate-pulse space-y-2" aria-hidden="true">
        <div className="h-8 w-48 rounded-lg bg-sunken" />
        <div className="h-5 w-80 max-w-full rounded bg-sunken" />
      </div>
      {isForm ? <FormSkeleton /> : <ListSkeleton />}
    </div>
  );
}
