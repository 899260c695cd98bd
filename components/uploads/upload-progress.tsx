/** The progress of an upload. @param progress from 0 to 1; null before it starts */
export function UploadProgress({ name, progress }: { name: string; progress: number | null }) {
  if (progress === null) return <span className="text-muted">Queued</span>;
  const percent = Math.round(progress * 100);
  return (
    <span className="mt-1 flex items-center gap-3">
      <span
        role="progressbar"
        aria-label={`Upload of ${name}`}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-1.5 min-w-0 flex-1 overflow-hidden rounded-full bg-sunken"
      >
        <span
          className="block h-full rounded-full bg-accent transition-[width]"
          style={{ width: `${percent}%` }}
        />
      </span>
      <span className="w-24 text-muted text-xs tabular-nums">
        {percent < 100 ? `${percent}%` : "Processing…"}
      </span>
    </span>
  );
}
