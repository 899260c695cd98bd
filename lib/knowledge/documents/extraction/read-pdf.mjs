import { getDocumentProxy } from "unpdf";
import { maximumCharacters, UnreadableFile } from "./outcome.mjs";

/**
 * The text of all pages. They are read one at a time, so that only one is in memory.
 * @param {Buffer} bytes
 */
export async function read(bytes) {
  const pdf = await open(bytes);
  const pages = [];
  let characters = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const text = items
      .map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""))
      .join("");
    page.cleanup();
    characters += text.length;
    if (characters > maximumCharacters) throw new UnreadableFile("too_large");
    pages.push(text.trim());
  }
  return pages.join("\n\n");
}

/** @param {Buffer} bytes */
async function open(bytes) {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  } catch (error) {
    throw /** @type {Error} */ (error).name === "PasswordException"
      ? new UnreadableFile("encrypted")
      : error;
  }
}
