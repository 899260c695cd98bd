import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { BlobStore } from "./blob-store";

/**
 * Stores files on disk, in directories named after the parts of the key. Incoming files are written
 * to the same disk, so storing one is a rename.
 */
export function diskBlobStore(directory: string): BlobStore {
  const pathOf = (key: string) => {
    if (!/^\w+(\/[\w-]+)*$/.test(key))
      throw new Error("a blob's key has letters, digits, underscores and hyphens");
    return path.join(directory, "kept", ...key.split("/"));
  };

  return {
    put: async (key, file) => {
      const target = pathOf(key);
      await mkdir(path.dirname(target), { recursive: true });
      await sync(file.path);
      await rename(file.path, target);
      // The directory entry must be on disk, too, before a row refers to it.
      await sync(path.dirname(target));
    },
    get: async (key) => {
      const handle = await open(pathOf(key)).catch(nullWhereMissing);
      return handle && createReadStream("", { fd: handle });
    },
    remove: (key) => rm(pathOf(key), { force: true }),
  };
}

async function sync(file: string): Promise<void> {
  const handle = await open(file);
  await handle.sync().finally(() => handle.close());
}

function nullWhereMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
