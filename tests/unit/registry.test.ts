import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { routes } from "@/lib/api/routes";
import { partsOf } from "@/lib/resources/registry";

const schema = readFileSync("prisma/schema.prisma", "utf8");

test.each(["idPrefix", "dashboardPath"] as const)("no two nouns share their %s", (part) => {
  const values = partsOf(part);
  expect(new Set(values).size).toBe(values.length);
});

test("no two nouns share an event type, an audit action, a scope, a tag or a path", () => {
  for (const values of [
    partsOf("events").flat(),
    partsOf("auditActions").flatMap((actions) => Object.keys(actions)),
    partsOf("scope").map(({ name }) => name),
    partsOf("api").map(({ tag }) => tag?.name ?? Symbol("no tag")),
    partsOf("api").map(({ path }) => path),
  ])
    expect(new Set(values).size).toBe(values.length);
});

test("every path of a noun is a path of the API, and every list has a table", () => {
  const segments = Object.keys(routes).flatMap((path) => path.split("/"));
  for (const { path, otherPaths = [] } of partsOf("api"))
    for (const segment of [path, ...otherPaths]) expect(segments).toContain(segment);
  for (const { table, parent } of partsOf("list")) {
    expect(schema).toContain(`@@map("${table}")`);
    if (parent) expect(schema).toContain(`@map("${parent}")`);
  }
});
