import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { verifySnippetFiles } from "@/components/docs/verify-snippet-files";
import { isGenuine } from "@/docs/verify-webhook/verify";
import { answers, cases, expected, isThere, now, secret, take } from "../support/verify-snippets";

test("every file of the folder is on the page, and vice versa", async () => {
  expect((await readdir("docs/verify-webhook")).toSorted()).toEqual(
    verifySnippetFiles.map(({ file }) => file).toSorted(),
  );
});

test.each(cases)("TypeScript: $what", ({ header, body, expected }) => {
  expect(isGenuine(Buffer.from(body), header, secret, now)).toBe(expected);
});

test.skipIf(!isThere("python3", "--version"))("Python", async () => {
  await take("verify.py");
  const program = `
import base64
from verify import is_genuine
for line in open("cases.txt"):
  header, body = (base64.b64decode(part) for part in line.rstrip("\\n").split(" "))
  print(is_genuine(body, header.decode(), "${secret}", ${now}))`;
  expect(await answers("python3", ["-c", program])).toEqual(expected);
});
