import { type IncomingFile, readTail } from "@/lib/platform/blobs/incoming-file";

/**
 * Images that browsers show and that cannot contain a script. Every other type is only ever
 * downloaded, SVG and HTML above all.
 */
const inlineTypes: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);

export const isShownInline = (contentType: string): boolean => inlineTypes.has(contentType);

export const unknownType = "application/octet-stream";

type Signature = { type: string; at?: number; bytes: string; and?: { at: number; bytes: string } };

/** Bytes that files of a type start with, as Latin-1. The first that fits decides. */
const signatures: Signature[] = [
  { type: "image/png", bytes: "\x89PNG\r\n\x1a\n", and: { at: 12, bytes: "IHDR" } },
  { type: "image/jpeg", bytes: "\xff\xd8\xff" },
  { type: "image/gif", bytes: "GIF87a" },
  { type: "image/gif", bytes: "GIF89a" },
  { type: "image/webp", bytes: "RIFF", and: { at: 8, bytes: "WEBP" } },
  { type: "audio/wav", bytes: "RIFF", and: { at: 8, bytes: "WAVE" } },
  { type: "image/avif", at: 4, bytes: "ftyp", and: { at: 8, bytes: "avif" } },
  { type: "image/heic", at: 4, bytes: "ftyp", and: { at: 8, bytes: "hei" } },
  { type: "audio/mp4", at: 4, bytes: "ftyp", and: { at: 8, bytes: "M4A" } },
  { type: "video/quicktime", at: 4, bytes: "ftyp", and: { at: 8, bytes: "qt" } },
  { type: "video/mp4", at: 4, bytes: "ftyp" },
  { type: "video/webm", bytes: "\x1a\x45\xdf\xa3" },
  { type: "audio/ogg", bytes: "OggS" },
  { type: "audio/mpeg", bytes: "ID3" },
  { type: "audio/mpeg", bytes: "\xff\xfb" },
  { type: "application/pdf", bytes: "%PDF-" },
  { type: "application/gzip", bytes: "\x1f\x8b" },
  { type: "application/zip", bytes: "PK\x03\x04" },
];

const office = "application/vnd.openxmlformats-officedocument";

/** Entries in a zip archive's directory, which is at its end, that tell what the archive is. */
const archives = [
  { type: `${office}.wordprocessingml.document`, entry: "word/document.xml" },
  { type: `${office}.spreadsheetml.sheet`, entry: "xl/workbook.xml" },
  { type: `${office}.presentationml.presentation`, entry: "ppt/presentation.xml" },
];

const archiveTailBytes = 128 * 1_024;

/**
 * The type of a file, by its content alone. A file of a type that is not known here is neither
 * refused nor trusted: it has the type for unknown bytes.
 */
export async function detectFileType(
  file: Pick<IncomingFile, "path" | "sizeBytes" | "head" | "isText">,
): Promise<string> {
  // No image or recording is text from start to end. A script that starts like a GIF is.
  if (file.isText && !file.head.subarray(0, 5).equals(pdfStart)) return textTypeOf(file.head);
  const head = file.head.toString("latin1");
  const found = signatures.find(
    ({ at = 0, bytes, and }) =>
      head.startsWith(bytes, at) && (!and || head.startsWith(and.bytes, and.at)),
  );
  if (found?.type !== "application/zip") return found?.type ?? unknownType;
  const tail = await readTail(file, archiveTailBytes);
  return archives.find(({ entry }) => tail.includes(entry))?.type ?? found.type;
}

const pdfStart = Buffer.from("%PDF-");

function textTypeOf(head: Buffer): string {
  const start = head.toString();
  if (/<svg[\s>]/i.test(start)) return "image/svg+xml";
  return /^\uFEFF?\s*<(!doctype html|html|head|body|script)\b/i.test(start)
    ? "text/html"
    : "text/plain";
}
