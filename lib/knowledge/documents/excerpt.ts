import { type Excerpt, excerptPieces } from "@/lib/platform/excerpt";
import { hitEnd, hitStart } from "./service.sql";

/** Parses text with PostgreSQL's hit marks, and removes the marks. */
export function readMarked(marked: string): Excerpt {
  const ranges: Excerpt["ranges"] = [];
  let text = "";
  for (const [index, part] of marked.split(hitStart).entries()) {
    const [hit = "", rest = ""] = index === 0 ? ["", part] : part.split(hitEnd);
    if (hit !== "") ranges.push([text.length, text.length + hit.length]);
    text += hit + rest;
  }
  return { text, ranges };
}

const escapes: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? "");

/** The same as HTML, for web pages that accept only HTML. */
export const toHtml = (excerpt: Excerpt) =>
  excerptPieces(excerpt)
    .map(({ text, isHit }) => (isHit ? `<mark>${escaped(text)}</mark>` : escaped(text)))
    .join("");
