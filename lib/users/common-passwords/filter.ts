import { createHash } from "node:crypto";

/** Where the filter lies, from the directory that every process runs in. */
export const filterPath = "lib/users/common-passwords/filter.bin";

/**
 * The first 32 bits of a password's SHA-256. Among 140,000 of them, a password that is not on the
 * list is taken for one that is in 3 of 100,000 cases.
 */
export const prefixOf = (password: string): number =>
  createHash("sha256").update(password).digest().readUInt32BE(0);
