import { isShownInline } from "@/lib/files/content-type";
import type { Attachment } from "@/lib/files/schema";
import { AttachmentImage } from "./attachment-image";
import { FileRow } from "./file-row";

/** The files of a message: images as images, everything else as a row to download. */
export function Attachments({
  attachments,
  isRight,
}: {
  attachments: Attachment[];
  isRight: boolean;
}) {
  if (attachments.length === 0) return null;
  return (
    <ul
      aria-label="Attachments"
      className={`mt-1 flex w-full max-w-[min(36rem,88%)] flex-wrap gap-2 ${isRight ? "justify-end" : ""}`}
    >
      {attachments.map(({ id, name, contentType, sizeBytes, url }) => {
        const file = { name, sizeBytes, path: pathOf(url) };
        return (
          <li key={id} className="max-w-full">
            {isShownInline(contentType) ? <AttachmentImage {...file} /> : <FileRow {...file} />}
          </li>
        );
      })}
    </ul>
  );
}

/** The dashboard may be open under another name than the one in links, as localhost often is. */
function pathOf(url: string | null): string {
  const { pathname, search } = new URL(url ?? "");
  return `${pathname}${search}`;
}
