import { decimalSize } from "@/lib/platform/byte-size";

/** How much of the plan's storage an environment has used up. */
export function StorageQuota({ used, limit, plan }: { used: number; limit: number; plan: string }) {
  const percent = Math.floor((used / limit) * 100);
  return (
    <section aria-labelledby="quota" className="mb-4 rounded-2xl border border-line bg-surface p-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="quota" className="font-medium">
          Storage quota
        </h2>
        <p className="text-muted tabular-nums">
          {decimalSize(used)} of {decimalSize(limit)} ({percent}%), plan {plan}
        </p>
      </div>
      <meter
        aria-labelledby="quota"
        className="meter mt-2 h-2.5 w-full"
        min={0}
        max={limit}
        low={limit * 0.8}
        high={limit * 0.95}
        optimum={0}
        value={Math.min(used, limit)}
      />
      {percent >= 80 ? (
        <p className={`mt-2 ${percent >= 100 ? "text-danger" : "text-warn"}`}>
          {percent >= 100
            ? "Uploads are rejected until you delete documents or conversations with files, or upgrade the plan."
            : "At 100%, uploads are rejected."}
        </p>
      ) : null}
    </section>
  );
}
