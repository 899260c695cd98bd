const textOid = 25;
const headerBytes = 20;

/**
 * PostgreSQL's binary form of `text[]`. In the text format, every quote and backslash must be
 * escaped, and events and request logs contain JSON, which is full of quotes.
 */
export function encodeTextArray(items: readonly (string | null | undefined)[]): Buffer {
  const lengths = items.map((item) => (item == null ? -1 : Buffer.byteLength(item)));
  let bytes = headerBytes;
  for (const length of lengths) bytes += 4 + Math.max(0, length);
  const encoded = Buffer.allocUnsafe(bytes);
  // One dimension, or none for an empty array; whether it has nulls; the type; length and lower bound.
  let end = encoded.writeInt32BE(items.length > 0 ? 1 : 0, 0);
  end = encoded.writeInt32BE(lengths.includes(-1) ? 1 : 0, end);
  end = encoded.writeInt32BE(textOid, end);
  if (items.length === 0) return encoded.subarray(0, end);
  end = encoded.writeInt32BE(items.length, end);
  end = encoded.writeInt32BE(1, end);
  for (const [index, item] of items.entries()) {
    end = encoded.writeInt32BE(lengths[index] ?? -1, end);
    if (item != null) end += encoded.write(item, end);
  }
  return encoded;
}
