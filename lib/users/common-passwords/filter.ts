import { createHash } from "node:crypto";

/** The path of the filter, relative to the directory that every process runs in. */
export const filterPath = "lib/users/common-passwords/filter.bin";

/**
 * The first 32 bits of a password's SHA-256. With 140,000 of them, 3 in 100,000 unlisted passwords
 * are rejected by mistake.
 */
export const prefixOf = (password: string): number =>
  createHash("sha256").update(password).digest().readUInt32BE(0);
