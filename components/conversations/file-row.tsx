import { Download } from "lucide-react";
import { byteSize } from "@/lib/platform/byte-size";

export type ShownFile = { name: string; sizeBytes: number; path: string };

/** A link to download a file. @param note what went wrong with its preview */
export function FileRow({ name, sizeBytes, path, note }: ShownFile & { note?: string }) {
  return (
    <a
      href={path}
      target="_blank"
      rel="noreferrer"
      className="flex max-w-full items-center gap-3 rounded-xl border border-line bg-surface px-3 py-2 hover:bg-sunken"
    >
      <Download className="size-4 shrink-0 text-muted" aria-hidden="true" />
      <span className="sr-only">Download</span>
      <span className="min-w-0">
        <span dir="auto" className="block truncate font-medium">
          {name}
        </span>
        <span className="block text-muted text-xs">
          {byteSize(sizeBytes)}
          {note ? ` · ${note}` : null}
        </span>
      </span>
    </a>
  );
}
