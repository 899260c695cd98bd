import { type IncomingFile, readTail } from "@/lib/platform/blobs/incoming-file";
import { AppError } from "@/lib/platform/errors";

const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/** The types that can be read. */
export const contentTypes = [
  "text/plain",
  "text/markdown",
  "text/html",
  "text/csv",
  "application/json",
  "application/pdf",
  docx,
] as const;

export type ContentType = (typeof contentTypes)[number];

/** File extensions. They only distinguish kinds of text; other types are detected by content. */
const typesByEnding = new Map<string, ContentType>([
  ["txt", "text/plain"],
  ["md", "text/markdown"],
  ["markdown", "text/markdown"],
  ["html", "text/html"],
  ["htm", "text/html"],
  ["csv", "text/csv"],
  ["json", "application/json"],
  ["pdf", "application/pdf"],
  ["docx", docx],
]);

const pdfSignature = Buffer.from("%PDF-");
const zipSignature = Buffer.from("PK\u0003\u0004");
const zipDirectoryEnd = Buffer.from("PK\u0005\u0006");
/** Word wraps password-protected documents in this format. */
const oleSignature = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

/**
 * The end of a zip archive, which holds its directory. A Word document's directory is much smaller.
 */
const tailBytes = 128 * 1_024;

/**
 * The type of a file, detected by its content. Its name only distinguishes kinds of text.
 * @throws AppError `unsupported-media-type`
 */
export async function detectContentType(
  file: Pick<IncomingFile, "path" | "sizeBytes" | "head" | "isText">,
  name: string,
) {
  const [, ending = ""] = /\.([a-z]+)$/i.exec(name) ?? [];
  const promised = typesByEnding.get(ending.toLowerCase());
  // Processing checks whether there is any content.
  if (file.sizeBytes === 0) return promised ?? "text/plain";

  const startsWith = (signature: Buffer) =>
    file.head.subarray(0, signature.length).equals(signature);
  if (startsWith(pdfSignature) || (!file.isText && file.head.includes(pdfSignature)))
    return "application/pdf";
  if (startsWith(zipSignature)) {
    const tail = await readTail(file, tailBytes);
    // Without its directory, the archive is damaged. If the name promises a Word document,
    // processing reports that.
    const isDamaged = !tail.includes(zipDirectoryEnd);
    if (tail.includes("word/document.xml") || (isDamaged && promised === docx)) return docx;
    throw unsupported("This file is a zip archive without a Word document");
  }
  if (startsWith(oleSignature) && promised === docx) return docx;
  if (!file.isText)
    throw unsupported("The content of this file is none of these types, and not UTF-8 text");
  if (promised === "application/pdf" || promised === docx)
    throw unsupported(`The name of this file ends in .${ending}, but its content is plain text`);
  return /^\uFEFF?\s*<(!doctype html|html)\b/i.test(file.head.toString())
    ? "text/html"
    : (promised ?? "text/plain");
}

function unsupported(reason: string): AppError {
  return new AppError(
    "unsupported-media-type",
    `A document must be a txt, md, html, csv, json, pdf or docx file. ${reason}.`,
  );
}
