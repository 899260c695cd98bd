import { readFileSync } from "node:fs";
import { filterPath, prefixOf } from "./filter";

/** Shorter ones are found in nearly every password. */
const shortestBase = 4;

let filter: Buffer | undefined;

/**
 * Whether a password is among those that are guessed first: on the list itself, or one of the list
 * with digits and punctuation around it, or repeated. Looks in a file of this repository; nothing
 * leaves the machine.
 * @param password of bounded length, normalized
 */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  const bare = text.replace(/^[^\p{L}]+/u, "").replace(/[^\p{L}]+$/u, "");
  const bases = [bare, repeatedPart(text), repeatedPart(bare)].filter(
    (base) => base.length >= shortestBase,
  );
  return [text, ...bases].some(isListed);
}

/** "passpass" is "pass" twice. A text that repeats nothing is its own part. */
const repeatedPart = (text: string) => text.slice(0, (text + text).indexOf(text, 1));

function isListed(text: string): boolean {
  filter ??= readFileSync(filterPath);
  const wanted = prefixOf(text);
  let [low, high] = [0, filter.length / 4];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = filter.readUInt32BE(middle * 4);
    if (found === wanted) return true;
    if (found < wanted) low = middle + 1;
    else high = middle;
  }
  return false;
}
