import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Declaration } from "./operation";

// Compression and ETags of responses. Responses are stored uncompressed, so a replay is compressed
// according to the headers of its own request.

/** Below this, compression costs more than it saves. */
const compressedFromBytes = 1_024;

/** Longer `Accept-Encoding` headers are ignored. */
const maximumHeaderLength = 1_000;

type Encoding = "br" | "gzip";

const compressWithBrotli = promisify<string, object, Uint8Array>(brotliCompress);
const compress: Record<Encoding, (body: string) => Promise<Uint8Array>> = {
  br: (body) => compressWithBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify<string, Uint8Array>(gzip),
};

/** The best supported encoding of an `Accept-Encoding` header, or null if it allows none. */
export function chooseEncoding(accepted: string | null): Encoding | null {
  if (!accepted || accepted.length > maximumHeaderLength) return null;
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith("q="))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get("*") ?? 0;
  const [br, gzip] = [weightOf("br"), weightOf("gzip")];
  if (br <= 0 && gzip <= 0) return null;
  return br >= gzip ? "br" : "gzip";
}

/** Compresses a large body if the client accepts that, and adds the headers for it. */
export async function compressed(
  body: string,
  accepted: string | null,
  headers: Record<string, string>,
): Promise<string | Uint8Array> {
  if (body.length < compressedFromBytes && Buffer.byteLength(body) < compressedFromBytes)
    return body;
  headers.Vary = "Accept-Encoding";
  const encoding = chooseEncoding(accepted);
  if (!encoding) return body;
  headers["Content-Encoding"] = encoding;
  // The compressed bytes differ, so the ETag becomes a weak one.
  if (headers.ETag?.startsWith('"')) headers.ETag = `W/${headers.ETag}`;
  return compress[encoding](body);
}

/** Whether an operation returns one resource. */
const returnsResource = ({ response }: Declaration): boolean =>
  "id" in ((response as { shape?: object }).shape ?? {});

/** Whether the successful response to a method has an `ETag`. */
export const returnsVersion = (method: string, declaration: Declaration): boolean =>
  versionedMethods.has(method) && returnsResource(declaration);

const versionedMethods = new Set(["GET", "HEAD", "PATCH", "PUT"]);

export const etagOf = (body: string): string =>
  `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;

/** Whether an `If-None-Match` or `If-Match` header contains this version, by the weak comparison. */
export function isKnownVersion(header: string | null, etag: string): boolean {
  if (!header) return false;
  return header
    .split(",")
    .some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}
