import mammoth from "mammoth";
import yauzl from "yauzl";
import { maximumCharacters, UnreadableFile } from "./outcome.mjs";

const maximumEntries = 1_000;
const maximumUnpackedBytes = 100 * 1_024 ** 2;
const maximumRatio = 100;
/**
 * Small entries may have any compression ratio, because a form with many empty fields is not a zip
 * bomb.
 */
const unsuspiciousBytes = 1_024 ** 2;

const oleSignature = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

/**
 * Extracts the text of a Word document. The archive is unpacked here under our own limits; mammoth
 * gets only the unpacked parts.
 * @param {Buffer} bytes
 */
export async function read(bytes) {
  if (bytes.subarray(0, 4).equals(oleSignature))
    throw new UnreadableFile(isEncryptedPackage(bytes) ? "encrypted" : "invalid_file");
  const parts = await unpack(bytes);
  const file = {
    exists: (/** @type {string} */ name) => parts.has(name),
    read: async (/** @type {string} */ name, /** @type {string | undefined} */ encoding) => {
      const part = parts.get(name) ?? Buffer.alloc(0);
      return encoding === "base64"
        ? part.toString("base64")
        : encoding
          ? new TextDecoder(encoding).decode(part)
          : part;
    },
  };
  // mammoth also accepts an opened archive, besides a path and a buffer. Its types do not declare
  // that.
  const { value } = await mammoth.extractRawText(/** @type {any} */ ({ file }));
  if (value.length > maximumCharacters) throw new UnreadableFile("too_large");
  return value;
}

/** @param {Buffer} bytes */
function isEncryptedPackage(bytes) {
  return bytes.includes(Buffer.from("EncryptedPackage", "utf16le"));
}

/**
 * The archive's XML parts, by name. Declared sizes are checked before unpacking, and unpacked bytes
 * are counted as well, because declarations can lie.
 * @param {Buffer} bytes
 */
async function unpack(bytes) {
  const archive = await yauzl.fromBufferPromise(bytes);
  if (archive.entryCount > maximumEntries) throw new UnreadableFile("too_large");
  const entries = [];
  let declaredBytes = 0;
  for await (const entry of archive.eachEntry()) {
    if (entry.isEncrypted()) throw new UnreadableFile("encrypted");
    declaredBytes += entry.uncompressedSize;
    const isBomb =
      entry.uncompressedSize > unsuspiciousBytes &&
      entry.uncompressedSize > entry.compressedSize * maximumRatio;
    if (isBomb || declaredBytes > maximumUnpackedBytes || entries.length >= maximumEntries)
      throw new UnreadableFile("too_large");
    entries.push(entry);
  }
  /** @type {Map<string, Buffer>} */
  const parts = new Map();
  let unpackedBytes = 0;
  for (const entry of entries) {
    if (!/\.(xml|rels)$/.test(entry.fileName)) continue;
    const chunks = [];
    for await (const chunk of await archive.openReadStreamPromise(entry)) {
      unpackedBytes += chunk.length;
      if (unpackedBytes > maximumUnpackedBytes) throw new UnreadableFile("too_large");
      chunks.push(chunk);
    }
    parts.set(entry.fileName, Buffer.concat(chunks));
  }
  if (!parts.has("word/document.xml")) throw new UnreadableFile("invalid_file");
  return parts;
}
