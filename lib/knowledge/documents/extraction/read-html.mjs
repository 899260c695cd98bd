import { Parser } from "htmlparser2";
import { read as readText } from "./read-text.mjs";

/** Elements whose content is not readable text. */
const hidden = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
  "object",
  "select",
]);

/** Elements that start on a new line. */
const blocks = new Set(
  "address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table td th title tr ul".split(
    " ",
  ),
);

/**
 * The text that a visitor reads, one line per block. The parser is a streaming one that builds no
 * tree, so deep nesting costs nothing.
 * @param {Buffer} bytes
 */
export function read(bytes) {
  /** @type {string[]} */
  const parts = [];
  let hiddenDepth = 0;
  const parser = new Parser({
    onopentagname: (name) => {
      if (hidden.has(name)) hiddenDepth++;
      if (blocks.has(name)) parts.push("\n");
    },
    onclosetag: (name) => {
      if (hidden.has(name)) hiddenDepth--;
      if (blocks.has(name) && name !== "br" && name !== "hr") parts.push("\n");
    },
    ontext: (text) => {
      if (hiddenDepth === 0) parts.push(text.replace(/\s+/g, " "));
    },
  });
  parser.end(readText(bytes));
  return parts
    .join("")
    .replace(/ *\n */g, "\n")
    .replace(/\n{3,}/g, "\n\n");
}
