import { read as readText } from "./read-text.mjs";

/**
 * The text unchanged, for readers and search. It must be valid JSON.
 * @param {Buffer} bytes
 */
export function read(bytes) {
  const text = readText(bytes);
  JSON.parse(text);
  return text;
}
