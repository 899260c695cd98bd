import { readFileSync } from "node:fs";
import { filterPath, prefixOf } from "./filter";

/** Nearly every password contains shorter words. */
const shortestBase = 4;

let filter: Buffer | undefined;

/**
 * Whether a password is among the first ones that attackers guess: on the list, or a listed one
 * repeated or with digits and punctuation around it. Uses a file in this repository, so nothing
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

/** "passpass" is "pass" twice. Text without a repetition is returned whole. */
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
