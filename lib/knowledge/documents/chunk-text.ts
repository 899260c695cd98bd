/** The target length of a chunk in characters, and how much of its end the next chunk repeats. */
const targetCharacters = 1_000;
const overlapCharacters = 120;

/** Where a chunk may end, best first: after a paragraph, a line, a sentence, a word. */
const borders = [/\n\s*\n/g, /\n/g, /[.!?…。！？]["'”’)\]]*(\s|$)|[。！？]/g, /\s/g];

/**
 * Splits a text into chunks of about 1,000 characters that end after a paragraph, a sentence or at
 * least a word. Each chunk starts with the last sentence of the previous one, so that a search
 * finds text around the split.
 */
export function* chunkText(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const end =
      text.length - start <= targetCharacters
        ? text.length
        : start + findBorder(text.slice(start, start + targetCharacters));
    const chunk = text.slice(start, end).trim();
    if (chunk !== "") yield chunk;
    if (end === text.length) return;
    start = overlapStart(text, start, end);
  }
}

/**
 * The last good place to split in the second half of the window. If there is none, the window is
 * split at its end.
 */
function findBorder(window: string): number {
  for (const border of borders) {
    const ends = [...window.matchAll(border)].map((match) => match.index + match[0].length);
    const last = ends.at(-1);
    if (last && last >= window.length / 2) return last;
  }
  // Do not split a surrogate pair.
  return isHighSurrogate(window.charCodeAt(window.length - 1)) ? window.length - 1 : window.length;
}

/**
 * Where the last sentence before `end` starts, if it is short enough to repeat; otherwise a nearby
 * word; otherwise `end`.
 */
function overlapStart(text: string, start: number, end: number): number {
  const from = Math.max(start + 1, end - overlapCharacters);
  const tail = text.slice(from, end).trimEnd();
  const sentence = [...tail.matchAll(/[.!?…。！？]["'”’)\]]*\s+|[。！？\n]/g)].at(0);
  const word = /\s/.exec(tail);
  const offset = sentence ? sentence.index + sentence[0].length : word ? word.index + 1 : null;
  return offset === null || offset >= tail.length ? end : from + offset;
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;
