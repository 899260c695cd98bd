import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describedOperations } from "@/app/docs/reference/described";
import { goSample, phpSample, pythonSample } from "@/components/docs/sample-languages";
import { type DescribedOperation, isStream } from "@/components/docs/samples";
import { baseUrl, newTenant } from "../support/api";
import { pdfOf } from "../support/files";
import { findPython, preparePython, python } from "../support/python";
import { type Receiver, startReceiver } from "../support/receiver";
import { furnish, withIds } from "../support/sample-resources";

// The samples of the reference in Go, PHP and Python, run against the running service, where the
// machine has the language. Ids and the receiver's URL are replaced, and in Go, the names of
// the package and of its function.

const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), "parlance-samples-"));
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  writeFileSync(path.join(folder, "returns.pdf"), pdfOf(["Lamps are sent back in their box."]));
});
afterAll(async () => {
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const has = {
  go: works("go", "version"),
  php: works("php", "-r", "exit(function_exists('curl_init') ? 0 : 1);"),
};
if (!has.go) process.stdout.write("The Go samples are not run: go is missing.\n");
if (!has.php)
  process.stdout.write("The PHP samples are not run: php with its curl extension is missing.\n");
const pythonName = findPython("The Python samples are not run");

// A stream does not end by itself.
const operations = describedOperations().filter(({ operation }) => !isStream(operation));
const named = operations.map((described) => [described.operation.operationId, described] as const);

/** A tenant with resources for the sample, and the sample with their ids. */
async function prepare(
  described: DescribedOperation,
  write: (described: DescribedOperation, origin: string) => string,
) {
  const isLive = described.operation.operationId === "copyAgentFromTest";
  const tenant = await newTenant({ environment: isLive ? "live" : "test" });
  const code = write(described, baseUrl());
  const ids = await furnish(tenant, code, receiver.url);
  return { code: withIds(code, ids), key: tenant.key };
}

/** The samples print the response and ignore its status. The `type` of a problem tells it apart. */
function expectSuccess(operationId: string, output: string): void {
  const { type = "" } = JSON.parse(output);
  expect([operationId, /\/errors\//.test(String(type)) ? output : "success"]).toEqual([
    operationId,
    "success",
  ]);
}

/** A program that calls the `Main` of one of these packages, by its name. */
const goProgram = (packages: string[]) => `package main

import (
	"os"

${packages.map((name) => `\t"samples/${name}"`).join("\n")}
)

func main() {
	map[string]func(){
${packages.map((name) => `\t\t"${name}": ${name}.Main,`).join("\n")}
	}[os.Args[1]]()
}
`;

describe.skipIf(!has.go)("Go", () => {
  test("every sample compiles, and succeeds", async () => {
    writeFileSync(path.join(folder, "go.mod"), "module samples\n\ngo 1.20\n");
    const samples: { operationId: string; key: string; file: string; code: string }[] = [];
    for (const [operationId, described] of named) {
      const { code, key } = await prepare(described, goSample);
      mkdirSync(path.join(folder, operationId));
      const file = path.join(folder, operationId, "sample.go");
      writeFileSync(file, `${code}\n`);
      samples.push({ operationId, key, file, code });
    }
    const formatted = await run("gofmt", ["-l", "."], { cwd: folder });
    expect(formatted.stdout).toBe("");

    // Linking a program takes longer than compiling a sample, so all samples become packages of one program.
    for (const { operationId, file, code } of samples) {
      expect(code).toMatch(/^package main\n.*\nfunc main\(\) \{\n/s);
      const renamed = code.replace("package main", `package ${operationId}`);
      writeFileSync(file, renamed.replace("func main()", "func Main()"));
    }
    const names = samples.map(({ operationId }) => operationId);
    writeFileSync(path.join(folder, "main.go"), goProgram(names));
    await run("go", ["build", "-o", "all-samples", "."], { cwd: folder });
    for (const { operationId, key } of samples) {
      const { stdout } = await run(path.join(folder, "all-samples"), [operationId], {
        cwd: folder,
        env: { ...process.env, PARLANCE_API_KEY: key },
      });
      expectSuccess(operationId, stdout);
    }
  }, 300_000);
});

describe.skipIf(!has.php)("PHP", () => {
  test.each(named)("%s succeeds", async (operationId, described) => {
    const { code, key } = await prepare(described, phpSample);
    writeFileSync(path.join(folder, `${operationId}.php`), code);
    const { stdout } = await run("php", [`${operationId}.php`], {
      cwd: folder,
      env: { ...process.env, PARLANCE_API_KEY: key },
    });
    expectSuccess(operationId, stdout);
  });
});

// One process runs them all, because it takes longer to load the client than to call it.
const runAll = `
import json, os, runpy, traceback
failed = {}
for name, key in json.load(open("keys.json")).items():
    os.environ["PARLANCE_API_KEY"] = key
    try:
        runpy.run_path(f"{name}.py", run_name="__main__")
    except BaseException:
        failed[name] = traceback.format_exc()
json.dump(failed, open("failed.json", "w"))`;

describe.skipIf(!pythonName)("Python", () => {
  test("every sample succeeds", async () => {
    await preparePython(pythonName ?? "");
    const keys: Record<string, string> = {};
    for (const [operationId, described] of named) {
      const { code, key } = await prepare(described, pythonSample);
      writeFileSync(path.join(folder, `${operationId}.py`), code);
      keys[operationId] = key;
    }
    writeFileSync(path.join(folder, "keys.json"), JSON.stringify(keys));
    // The client raises an error for every response that is not successful.
    await run(python, ["-c", runAll], { cwd: folder, maxBuffer: 2 ** 26 });
    expect(JSON.parse(readFileSync(path.join(folder, "failed.json"), "utf8"))).toEqual({});
  });
});
