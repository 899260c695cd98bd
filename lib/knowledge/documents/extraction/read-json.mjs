import { read as readText } from "./read-text.mjs";

/**
 * The text as it stands, for people and for searching; but it has to be JSON.
 * @param {Buffer} bytes
 */
export function read(bytes) {
  const text = readText(bytes);
  JSON.parse(text);
  return text;
}
