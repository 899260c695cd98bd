import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describedOperations } from "@/app/docs/reference/described";
import { pythonSample } from "@/components/docs/sample-languages";
import { findPython, preparePython, python } from "../support/python";

// Every Python example of the documentation passes mypy --strict.

const name = findPython("The types of the Python examples were not checked");
const folder = mkdtempSync(path.join(tmpdir(), "parlance-python-types-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(async () => {
  if (name) await preparePython(name);
});

/** What an example takes from the text around it. */
const given = {
  parlance: "import parlance as package\nparlance = package.Parlance()",
  body: 'body = b""',
  headers: "headers: dict[str, str] = {}",
  data: 'data = b""',
};

function completed(example: string): string {
  const isUsed = (word: string) => new RegExp(`(?<![\\w.])${word}\\b(?! import)`).test(example);
  const isDeclared = (word: string) =>
    new RegExp(`(?:^|\\bas )${word}(?::$| = )`, "m").test(example);
  const missing = Object.entries(given).filter(([word]) => isUsed(word) && !isDeclared(word));
  const text = [...missing.map(([, line]) => line), example].join("\n");
  if (!/^async (with|for)/m.test(example)) return `${text}\n`;
  const imports = "from parlance import AsyncParlance";
  return `${imports}\nasync def example() -> None:\n    ${text.replaceAll("\n", "\n    ")}\n`;
}

function examples(): Map<string, string> {
  const files = new Map<string, string>();
  const guides = readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.mdx?$/.test(file))
    .map((file) => path.join("docs", file));
  for (const page of ["README.md", "sdk-python/README.md", ...guides]) {
    const text = readFileSync(page, "utf8");
    const found = [...text.matchAll(/^ *```python\b[^\n]*\n([\s\S]*?)^ *```$/gm)];
    for (const [index, [, example = ""]] of found.entries())
      files.set(`${page.replaceAll(/\W/g, "_")}_${index + 1}`, completed(example));
  }
  for (const described of describedOperations())
    files.set(
      `operation_${described.operation.operationId}`,
      `${pythonSample(described, "https://parlance.example.com")}\n`,
    );
  files.set("verify", readFileSync("docs/verify-webhook/verify.py", "utf8"));
  return files;
}

test.skipIf(!name)("every Python example of the documentation passes mypy --strict", async () => {
  const files = examples();
  for (const [module, text] of files) writeFileSync(path.join(folder, `${module}.py`), text);
  // Both guides and all operations are among them.
  for (const expected of ["docs_guides_frameworks_mdx_1", "docs_guides_python_mdx_9"])
    expect([...files.keys()]).toContain(expected);
  expect(files.size).toBeGreaterThan(describedOperations().length + 15);
  const { stdout } = await promisify(execFile)(python, ["-m", "mypy", "--strict", folder], {
    cwd: folder,
  }).catch((error: { stdout: string; stderr: string }) =>
    expect.fail(`${error.stdout}${error.stderr}`),
  );
  expect(stdout).toContain(`no issues found in ${files.size} source files`);
});

test.skipIf(!name)("a type checker refuses a field of another event", async () => {
  const program = path.join(folder, "wrong.py");
  writeFileSync(
    program,
    `from parlance import models
def read(event: models.Event) -> None:
    if event.type == "message.received":
        print(event.data.object.text, event.data.object.thing)
    elif event.type == "unknown":
        print(event.received_type)
    else:
        print(event.data.object.text)
`,
  );
  const result = promisify(execFile)(python, ["-m", "mypy", "--strict", program], { cwd: folder });
  const { stdout } = await result.then(
    () => expect.fail("mypy accepted the program"),
    (error: { stdout: string }) => error,
  );
  const lines = new Set([...stdout.matchAll(/wrong\.py:(\d+): error/g)].map(([, line]) => line));
  expect([...lines]).toEqual(["4", "8"]);
});
