"use client";

import { FileUp } from "lucide-react";
import { useRouter } from "next/navigation";
import { type DragEvent, useId, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { useWarnBeforeLeaving } from "@/components/ui/unsaved-changes";
import { UploadList } from "./upload-list";
import { useUploads } from "./use-uploads";

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
  // The event for entering a child comes before the one for leaving its parent, so count the depth.
  const [depth, setDepth] = useState(0);
  const [note, setNote] = useState<string | null>(null);
  const { uploads, add, again, remove, clear } = useUploads({
    url,
    maximumBytes,
    onDone: () => router.refresh(),
  });
  useWarnBeforeLeaving(
    uploads.some(({ sent }) => sent === null),
    "Files are still uploading. Leave and cancel the uploads?",
  );

  function onDrop(event: DragEvent) {
    event.preventDefault();
    setDepth(0);
    const items = Array.from(event.dataTransfer.items);
    const hasFolder = items.some((item) => item.webkitGetAsEntry()?.isDirectory);
    setNote(hasFolder ? "Folders cannot be uploaded. Drop the files inside them." : null);
    const files = items
      .filter((item) => item.kind === "file" && !item.webkitGetAsEntry()?.isDirectory)
      .flatMap((item) => item.getAsFile() ?? []);
    add(files);
  }

  return (
    <section aria-label="Upload documents" className="mb-5">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is for those with a mouse; the button inside does the same. */}
      <div
        onDragEnter={(event) => {
          event.preventDefault();
          setDepth(depth + 1);
        }}
        onDragOver={(event) => event.preventDefault()}
        onDragLeave={() => setDepth(Math.max(0, depth - 1))}
        onDrop={onDrop}
        className={`rounded-2xl border border-dashed px-5 py-7 text-center transition-colors ${depth > 0 ? "border-accent bg-accent-soft" : "border-line-strong bg-surface"}`}
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
            setNote(null);
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
