import { createHash } from "node:crypto";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

/**
 * The same file, as a stream that ends only if all of its bytes have arrived unchanged. Otherwise,
 * and once the signal aborts, it fails.
 */
export function verified(
  file: Readable,
  { sizeBytes, sha256 }: { sizeBytes: number; sha256: Uint8Array },
  signal: AbortSignal,
): Readable {
  const hash = createHash("sha256");
  let received = 0;
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      if (hash.digest().equals(sha256)) return done();
      const bytes = received === sizeBytes ? "other bytes" : `${received} of ${sizeBytes} bytes`;
      done(new Error(`the store returned ${bytes} of a file`));
    },
  });
  // A failure is an error of the returned stream, whose reader handles it.
  pipeline(file, checked, { signal }).catch(() => {});
  return checked;
}
