"use client";

import { FileUp } from "lucide-react";
import { useRouter } from "next/navigation";
import { useId, useRef } from "react";
import { Button } from "@/components/ui/button";
import { LeaveGuard } from "@/components/ui/unsaved-changes";
import { useFileDrop } from "@/components/uploads/use-file-drop";
import { useUploads } from "@/components/uploads/use-uploads";
import { UploadList } from "./upload-list";

type Props = {
  /** The URL that files are uploaded to. */
  url: string;
  /** The path of this knowledge base's documents, without the document id. */
  documentsPath: string;
  maximumBytes: number;
  /** The accepted formats and the maximum size, in words. */
  accepted: string;
};

/** Uploads dropped or chosen files, any number of them. */
export function UploadZone({ url, documentsPath, maximumBytes, accepted }: Props) {
  const id = useId();
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const { uploads, add, again, remove, clear } = useUploads({
    url,
    maximumBytes,
    gone: "This knowledge base no longer exists.",
    onDone: () => router.refresh(),
  });
  const { isOver, note, clearNote, handlers } = useFileDrop(add);

  return (
    <section aria-label="Upload documents" className="mb-5">
      <LeaveGuard
        hasUnsaved={uploads.some(({ sent }) => sent === null)}
        title="Cancel the uploads?"
        question="Files are still uploading."
        keep="Keep uploading"
        discard="Cancel uploads"
      />
      {/* Dropping is for those with a mouse; the button inside does the same. */}
      <div
        {...handlers}
        className={`rounded-2xl border border-dashed px-5 py-7 text-center transition-colors ${isOver ? "border-accent bg-accent-soft" : "border-line-strong bg-surface"}`}
      >
        <FileUp className="mx-auto mb-3 size-6 text-muted" aria-hidden="true" />
        <p>
          Drop files here, or{" "}
          <Button
            variant="secondary"
            size="small"
            onClick={() => input.current?.click()}
            aria-describedby={`${id}-accepted`}
          >
            Choose files
          </Button>
        </p>
        <p id={`${id}-accepted`} className="mt-2 text-muted">
          {accepted}
        </p>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={(event) => {
            clearNote();
            add(event.currentTarget.files ?? []);
            // So that the same file can be selected again.
            event.currentTarget.value = "";
          }}
        />
        {note ? (
          <p role="alert" className="mt-2 text-danger">
            {note}
          </p>
        ) : null}
      </div>
      <UploadList
        uploads={uploads}
        documentsPath={documentsPath}
        again={again}
        remove={remove}
        clear={clear}
      />
    </section>
  );
}
