const encoder = new TextEncoder();

/** The bytes of a file: a `Blob` or `File` is streamed, not read into memory. */
export type FileContent = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;

/**
 * A form with one file. Unlike with `FormData` the bytes are the same for every attempt, and for every call with the same
 * idempotency key, so that the service sees one request and not two with one key. The API key keeps the boundary from being
 * guessed by whoever wrote the file.
 */
export async function toMultipart(
  file: { content: FileContent; name: string },
  fields: Record<string, string | undefined>,
  seed: string,
): Promise<{ body: Blob; contentType: string }> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(seed)));
  const boundary = `parlance-${Array.from(digest.subarray(0, 24), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  const part = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
  const content = file.content instanceof Blob ? file.content : new Blob([file.content]);
  const pieces: BlobPart[] = [];
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) pieces.push(`${part(`name="${name}"`)}\r\n${value}\r\n`);
  const type = content.type || "application/octet-stream";
  pieces.push(
    `${part(`name="file"; filename="${escapeName(file.name)}"`)}Content-Type: ${type}\r\n\r\n`,
    content,
    `\r\n--${boundary}--\r\n`,
  );
  const contentType = `multipart/form-data; boundary=${boundary}`;
  return { body: new Blob(pieces, { type: contentType }), contentType };
}

/** As browsers do it. */
const escapeName = (name: string) => name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
