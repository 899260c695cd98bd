import { expect, test } from "vitest";
import {
  folderOf,
  type Import,
  importsOf,
  mutualPairs,
  readImports,
  runtimeCycles,
} from "../support/imports";

// lib/api/routes.ts lists the route files: the one file outside of app/ that imports it.
const imports = readImports().filter(({ from }) => from !== "lib/api/routes.ts");
const isIn = (folder: string) => (file: string) => file.startsWith(`${folder}/`);

const offending = (from: (file: string) => boolean, to: (file: string) => boolean): string[] =>
  imports
    .filter((found) => from(found.from) && to(found.to))
    .map((found) => `${found.from} -> ${found.to}`);

test("no two folders import each other", () => {
  expect(imports.length).toBeGreaterThan(1_000);
  expect(mutualPairs(imports)).toEqual([]);
});

test("no files import each other in a loop at runtime", () => {
  expect(runtimeCycles(imports)).toEqual([]);
});

test("folders of lib do not import each other in a longer loop either", () => {
  const ofLib = imports.filter(
    ({ from, to }) => isIn("lib")(from) && isIn("lib")(to) && folderOf(from) !== folderOf(to),
  );
  const folders = ofLib.map(({ from, to }) => ({
    from: folderOf(from),
    to: folderOf(to),
    isTypeOnly: false,
  }));
  expect(runtimeCycles(folders)).toEqual([]);
});

test("lib/platform imports nothing above it", () => {
  const isBelow = (file: string) => isIn("lib/platform")(file) || isIn("prisma")(file);
  expect(offending(isIn("lib/platform"), (to) => !isBelow(to))).toEqual([]);
});

test("lib/api is the top floor: no other folder of lib imports it", () => {
  const isOther = (file: string) => isIn("lib")(file) && !isIn("lib/api")(file);
  expect(offending(isOther, isIn("lib/api"))).toEqual([]);
});

test("lib/scheduling is imported by processes and Inngest functions alone", () => {
  const mayImport = (file: string) =>
    ["lib/scheduling", "server", "inngest", "tests", "bench"].some((folder) => isIn(folder)(file));
  expect(offending((from) => !mayImport(from), isIn("lib/scheduling"))).toEqual([]);
});

test.each([
  ["lib", ["app", "components", "server", "inngest", "tests"]],
  ["components", ["app", "server", "inngest", "tests"]],
  ["app", ["server", "tests"]],
  ["prisma", ["app", "components", "server", "inngest", "tests"]],
  ["inngest", ["app", "components", "server", "tests"]],
  ["server", ["app", "components", "tests"]],
  ["sdk", ["app", "components", "lib", "prisma", "server", "inngest", "tests"]],
])("%s imports nothing from %s", (from, above) => {
  expect(offending(isIn(from), (to) => above.some((folder) => isIn(folder)(to)))).toEqual([]);
});

test("an import that runs back is reported with both files", () => {
  const forward: Import = {
    from: "lib/webhooks/service.ts",
    to: "lib/platform/db.ts",
    isTypeOnly: false,
  };
  const back = importsOf(
    "lib/platform/db.ts",
    'import { log } from "./log";\nimport type { Webhook } from "@/lib/webhooks/schema";\n',
  );

  expect(mutualPairs([forward, { ...forward, from: "lib/webhooks/disable.ts" }, ...back])).toEqual([
    "lib/platform and lib/webhooks import each other: lib/platform/db.ts -> lib/webhooks/schema.ts",
  ]);
});
