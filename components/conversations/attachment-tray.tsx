import { CircleAlert, FileIcon, RotateCw, X } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { UploadProgress } from "@/components/uploads/upload-progress";
import type { Upload } from "@/components/uploads/use-uploads";
import { byteSize } from "@/lib/platform/byte-size";

type AttachmentTrayProps = {
  uploads: Upload[];
  again: (upload: Upload) => void;
  remove: (upload: Upload) => void;
};

/** The files of a message that is being written, each with its progress or error. */
export function AttachmentTray({ uploads, again, remove }: AttachmentTrayProps) {
  if (uploads.length === 0) return null;
  return (
    <ul aria-label="Files of this message" className="grid gap-1 px-2 pb-2">
      {uploads.map((upload) => (
        <li
          key={upload.key}
          className="flex items-center gap-2 rounded-lg border border-line bg-surface px-2.5 py-1"
        >
          <Thumbnail file={upload.file} />
          <span className="min-w-0 flex-1">
            <span dir="auto" className="wrap-anywhere block">
              {upload.file.name}
            </span>
            <State upload={upload} />
          </span>
          <span className="text-muted text-xs tabular-nums">{byteSize(upload.file.size)}</span>
          {upload.sent?.outcome === "broken-off" ? (
            <Button
              variant="quiet"
              size="icon"
              onClick={() => again(upload)}
              aria-label={`Upload ${upload.file.name} again`}
            >
              <RotateCw className="size-4" aria-hidden="true" />
            </Button>
          ) : null}
          <Button
            variant="quiet"
            size="icon"
            onClick={() => remove(upload)}
            aria-label={upload.sent ? `Remove ${upload.file.name}` : `Cancel ${upload.file.name}`}
          >
            <X className="size-4" aria-hidden="true" />
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** The image itself, or an icon for what the browser cannot show as one. */
function Thumbnail({ file }: { file: File }) {
  const [source, setSource] = useState<string | null>(null);

  useEffect(() => {
    if (!file.type.startsWith("image/")) return;
    const url = URL.createObjectURL(file);
    setSource(url);
    return () => URL.revokeObjectURL(url);
  }, [file]);

  if (source === null)
    return <FileIcon className="size-4 shrink-0 text-muted" aria-hidden="true" />;
  return (
    // biome-ignore lint/performance/noImgElement: the file is on this device.
    <img
      src={source}
      alt=""
      className="size-8 shrink-0 rounded-md bg-sunken object-cover"
      onError={() => setSource(null)}
    />
  );
}

function State({ upload: { file, progress, sent } }: { upload: Upload }) {
  if (sent === null) return <UploadProgress name={file.name} progress={progress} />;
  if (sent.outcome === "done") return null;
  return (
    <span className="flex items-start gap-1.5 text-danger text-xs">
      <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
      {sent.outcome === "canceled" ? "Canceled." : sent.message}
    </span>
  );
}
