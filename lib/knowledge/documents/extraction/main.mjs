// The process in which a stranger's file is opened: it reads the file from standard input, and
// writes its text to standard output. It is plain JavaScript and runs as it stands, with nothing in
// its environment, little memory and little time; what comes of it, its exit code says.

import { buffer } from "node:stream/consumers";
import { exitCodes, Unreadable } from "./outcome.mjs";

/** Loaded on their own: what reads one format is a risk and a delay for no other. */
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
  if (bytes.length === 0) throw new Unreadable("empty");
  const { read } = await readers[contentType]();
  const text = tidy(await read(bytes));
  if (text === "") throw new Unreadable("empty");
  await new Promise((resolve) => process.stdout.end(text, () => resolve(undefined)));
  return exitCodes.ready;
}

/**
 * Without control characters, which PostgreSQL and readers have no use for, and without blank space
 * at the ends.
 */
function tidy(/** @type {string} */ text) {
  return (
    text
      .replace(/\r\n?/g, "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go.
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f\uFEFF]/g, "")
      .toWellFormed()
      .trim()
  );
}

function toExitCode(/** @type {unknown} */ error) {
  if (error instanceof Unreadable) return exitCodes[error.code];
  const isOutOfMemory =
    error instanceof RangeError &&
    /allocation failed|Invalid (array|typed array|string) length/i.test(error.message);
  return isOutOfMemory ? exitCodes.too_large : exitCodes.invalid_file;
}
