import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sourceFiles } from "../support/imports";

/** Where a schema's message can stand: a second argument, `message:` or `error:`. */
const messages =
  /\.(?:refine|regex|min|max|email|url|date|enum|number|int)\([^"`]*?["`]([^"`]+)["`]\)|(?:message|error|predicate): ["`]([^"`]+)["`]/g;

test("every message of a schema completes the name of its field: must, or is required", () => {
  const schemas = sourceFiles().filter((file) => /^lib\/.*schema\.ts$/.test(file));
  expect(schemas.length).toBeGreaterThan(12);
  const found = schemas.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(messages)].map((match) => ({
      file,
      message: match[1] ?? match[2] ?? "",
    })),
  );
  const sentences = found.filter(({ message }) => message.includes(" "));
  expect(sentences.length).toBeGreaterThan(15);
  expect(sentences.filter(({ message }) => !/^(must|is required) /.test(message))).toEqual([]);
});
