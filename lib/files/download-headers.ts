import { isShownInline, unknownType } from "./content-type";
import type { File } from "./schema";

/**
 * The headers of a download. A file is what a stranger uploaded, and it comes from the origin of the
 * dashboard. So only images that cannot contain a script are shown in the browser, everything else
 * is saved, no browser guesses another type, and a page that is opened after all may do nothing.
 */
export function downloadHeaders(
  { name, contentType, sizeBytes }: Pick<File, "name" | "contentType" | "sizeBytes">,
  validSeconds: number,
): Record<string, string> {
  const isInline = isShownInline(contentType);
  return {
    "Content-Type": isInline ? contentType : unknownType,
    "Content-Length": String(sizeBytes),
    "Content-Disposition": `${isInline ? "inline" : "attachment"}; ${fileNames(name)}`,
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    // The link may be in a page of another site.
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": `private, max-age=${validSeconds}, immutable`,
  };
}

/**
 * The name for the file to be saved under, in both forms of RFC 6266: without separators of paths,
 * and without characters that are invisible or change the direction of the text.
 */
function fileNames(name: string): string {
  const safe = name.replace(/[\\/\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "_");
  const ascii = safe.replace(/[^\x20-\x7e]|["%]/g, "_");
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
