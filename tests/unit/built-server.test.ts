import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

// What server/prepare.mjs builds in dist/.

/** The packages whose code a process loads when it starts. */
function packagesOf(entry: string): Set<string> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const { sources } = JSON.parse(readFileSync(`${file}.map`, "utf8")) as { sources: string[] };
    for (const source of sources) add(/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]);
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(
      /^(?:import|export)\b[^;]*?\bfrom "([^"]+)";|^import "([^"]+)";/gm,
    )) {
      if (specifier.startsWith(".")) visit(path.join(path.dirname(file), specifier));
      else if (!specifier.startsWith("node:")) add(specifier);
    }
  };
  const add = (name: string | undefined) => name && packages.add(name);
  visit(entry);
  return packages;
}

const onDemand = [
  "prom-client",
  "@opentelemetry/sdk-trace-base",
  "next",
  "react",
  "inngest",
  "@aws-sdk/client-s3",
  "mammoth",
  "unpdf",
  "nodemailer",
];

test.each(["web", "worker"])("%s loads large packages only when it needs them", (name) => {
  const loaded = packagesOf(`dist/${name}.js`);

  expect(loaded).toContain("pg");
  expect(onDemand.filter((large) => loaded.has(large))).toEqual([]);
});

/** The trace of an error that is thrown in the bundle, and then gets this code. */
function stackOf(code: string): string {
  const program = `
    await import("./dist/source-maps.js");
    const { createWebServer } = await import("./dist/web-server.js");
    try { createWebServer(); } catch (error) { console.log(Object.assign(error, ${JSON.stringify({ code })}).stack); }`;
  return execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
}

test("a stack trace names the TypeScript sources", () => {
  const stack = stackOf("ERR_ANY");

  expect(stack).toMatch(
    /^TypeError: .*\n {4}at attachEdge \(file:.*\/server\/edge\/attach-edge\.ts:\d+:\d+\)/,
  );
  expect(stack).toMatch(/ at createWebServer \(file:.*\/server\/web-server\.ts:\d+:\d+\)/);
});

test("an error with which undici ends an idle connection does not load the map of its bundle", () => {
  const stack = stackOf("UND_ERR_INFO");

  expect(stack).toMatch(/^TypeError: .*\n {4}at attachEdge \(file:.*\/dist\/[\w-]+\.js:\d+:\d+\)/);
  expect(stack).not.toContain(".ts:");
});
