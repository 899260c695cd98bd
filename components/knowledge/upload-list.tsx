"use client";

import { CircleAlert, CircleCheck, RotateCw, X } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { UploadProgress } from "@/components/uploads/upload-progress";
import type { Upload } from "@/components/uploads/use-uploads";
import { byteSize } from "@/lib/platform/byte-size";

type Props = {
  uploads: Upload[];
  documentsPath: string;
  again: (upload: Upload) => void;
  remove: (upload: Upload) => void;
  clear: () => void;
};

/** The progress and result of each upload. Screen readers announce the summary when it changes. */
export function UploadList({ uploads, documentsPath, again, remove, clear }: Props) {
  const done = uploads.filter(({ sent }) => sent?.outcome === "done").length;
  const failed = uploads.filter(({ sent }) => sent && sent.outcome !== "done").length;
  const summary = `${done} of ${uploads.length} uploaded${failed > 0 ? `, ${failed} not` : ""}`;
  return (
    <>
      <p
        role="status"
        className={
          uploads.length > 0
            ? "mt-3 mb-1.5 flex items-center justify-between text-muted"
            : "sr-only"
        }
      >
        {uploads.length > 0 ? summary : null}
        {done + failed > 0 ? (
          <Button variant="quiet" size="small" onClick={clear}>
            Clear the list
          </Button>
        ) : null}
      </p>
      {uploads.length > 0 ? (
        <ul className="divide-y divide-line rounded-2xl border border-line bg-surface">
          {uploads.map((upload) => (
            <li
              key={upload.key}
              className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2.5"
            >
              <span className="min-w-0 flex-1 basis-56">
                <span dir="auto" className="wrap-anywhere block font-medium">
                  {upload.file.name}
                </span>
                <State upload={upload} documentsPath={documentsPath} />
              </span>
              <span className="text-muted text-xs tabular-nums">{byteSize(upload.file.size)}</span>
              <span className="flex items-center gap-1">
                {upload.sent?.outcome === "broken-off" ? (
                  <Button
                    variant="secondary"
                    size="small"
                    onClick={() => again(upload)}
                    aria-label={`Send ${upload.file.name} again`}
                  >
                    <RotateCw className="size-3.5" aria-hidden="true" />
                    Send again
                  </Button>
                ) : null}
                <Button
                  variant="quiet"
                  size="icon"
                  onClick={() => remove(upload)}
                  aria-label={
                    upload.sent
                      ? `Remove ${upload.file.name} from the list`
                      : `Cancel ${upload.file.name}`
                  }
                >
                  <X className="size-4" aria-hidden="true" />
                </Button>
              </span>
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

function State({
  upload: { file, progress, sent },
  documentsPath,
}: {
  upload: Upload;
  documentsPath: string;
}) {
  if (sent === null) return <UploadProgress name={file.name} progress={progress} />;
  if (sent.outcome === "done") {
    return (
      <span className="flex items-center gap-1.5 text-good">
        <CircleCheck className="size-3.5 shrink-0" aria-hidden="true" />
        Uploaded.{" "}
        <Link href={`${documentsPath}/${sent.id}`} className="underline underline-offset-2">
          Show the document
        </Link>
      </span>
    );
  }
  return (
    <span className="flex items-start gap-1.5 text-danger">
      <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
      <span className="min-w-0">
        {sent.outcome === "canceled" ? "Canceled." : sent.message}{" "}
        {sent.outcome === "refused" && sent.existingId ? (
          <Link
            href={`${documentsPath}/${sent.existingId}`}
            className="underline underline-offset-2"
          >
            Show that document
          </Link>
        ) : null}
      </span>
    </span>
  );
}
