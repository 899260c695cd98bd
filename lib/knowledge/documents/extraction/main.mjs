// The process that opens an untrusted file. It reads the file from standard input and writes its
// text to standard output. It is plain JavaScript that runs without a build, with an empty
// environment and limited memory and time. The exit code reports the outcome.

import { buffer } from "node:stream/consumers";
import { exitCodes, UnreadableFile } from "./outcome.mjs";

/** Each reader is loaded on demand, so that its risk and cost affect only its own format. */
const readers = {
  "text/plain": () => import("./read-text.mjs"),
  "text/markdown": () => import("./read-text.mjs"),
  "text/csv": () => import("./read-text.mjs"),
  "application/json": () => import("./read-json.mjs"),
  "text/html": () => import("./read-html.mjs"),
  "application/pdf": () => import("./read-pdf.mjs"),
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": () =>
    import("./read-docx.mjs"),
};

process.exitCode = await run().catch(toExitCode);

async function run() {
  const contentType = /** @type {keyof typeof readers} */ (process.argv[2]);
  const bytes = await buffer(process.stdin);
  if (bytes.length === 0) throw new UnreadableFile("empty");
  const { read } = await readers[contentType]();
  const text = tidy(await read(bytes));
  if (text === "") throw new UnreadableFile("empty");
  await new Promise((resolve) => process.stdout.end(text, () => resolve(undefined)));
  return exitCodes.ready;
}

/** Removes control characters, which PostgreSQL or readers cannot use, and trims the text. */
function tidy(/** @type {string} */ text) {
  return (
    text
      .replace(/\r\n?/g, "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f\uFEFF]/g, "")
      .toWellFormed()
      .trim()
  );
}

function toExitCode(/** @type {unknown} */ error) {
  if (error instanceof UnreadableFile) return exitCodes[error.code];
  const isOutOfMemory =
    error instanceof RangeError &&
    /allocation failed|Invalid (array|typed array|string) length/i.test(error.message);
  return isOutOfMemory ? exitCodes.too_large : exitCodes.invalid_file;
}
