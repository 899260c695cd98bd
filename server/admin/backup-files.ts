import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";

// The format of a backup: `postgres/` and `files/` as they are in a data directory, and a manifest,
// which is written last.

export const manifestName = "backup.json";

export type CopiedFile = { path: string; sizeBytes: number; sha256: string };

export type Manifest = {
  format: 1;
  madeAt: string;
  parlance: string;
  /** The ids of the master keys that its secrets need. */
  masterKeys: string[];
  /** Of the role that owns the database. The cluster has only a hash of it. */
  postgresPassword: string;
  /** Only if requested. */
  keys?: { SECRET_KEYS: string; AUDIT_KEYS: string; NEXTAUTH_SECRET: string };
  /** False if files are in S3. */
  hasFiles: boolean;
  files: CopiedFile[];
};

/**
 * Copies a file to disk, and computes its hash on the way.
 * @returns null if it does not exist, because PostgreSQL has just dropped it
 */
export async function copyHashed(
  source: string,
  root: string,
  relative: string,
): Promise<CopiedFile | null> {
  const target = path.join(root, relative);
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  let sizeBytes = 0;
  try {
    await pipeline(
      createReadStream(source, { highWaterMark: 1_048_576 }),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          sizeBytes += chunk.length;
          yield chunk;
        }
      },
      createWriteStream(target, { mode: 0o600, flush: true }),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && !existsSync(source)) return null;
    throw error;
  }
  return { path: relative, sizeBytes, sha256: hash.digest("hex") };
}

/**
 * The files below a directory, relative to it. One that is removed meanwhile may be missing.
 * @param isEntered false for a directory whose content is left out
 */
export async function listFiles(
  directory: string,
  isEntered: (relative: string) => boolean = () => true,
  below = "",
): Promise<{ files: string[]; directories: string[] }> {
  const found = { files: [] as string[], directories: [] as string[] };
  const entries = await readdir(path.join(directory, below), { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    },
  );
  for (const entry of entries) {
    const relative = path.join(below, entry.name);
    if (!entry.isDirectory()) found.files.push(relative);
    else {
      found.directories.push(relative);
      if (!isEntered(relative)) continue;
      const inside = await listFiles(directory, isEntered, relative);
      found.files.push(...inside.files);
      found.directories.push(...inside.directories);
    }
  }
  return found;
}
