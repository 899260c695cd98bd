import { UnreadableFile } from "./outcome.mjs";

/** @param {Buffer} bytes */
export function read(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile("invalid_file");
  }
}
