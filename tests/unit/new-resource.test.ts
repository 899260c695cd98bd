import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { edits } from "@/server/new-resource/edits";
import { namesOf, renamed } from "@/server/new-resource/names";

// tests/installation/new-resource.release.test.ts runs the generator. This finds early what it needs
// and no longer exists.

const templates = "server/new-resource/template";
const files = readdirSync(templates, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".template"),
);
const imports = files.flatMap((file) =>
  [...readFileSync(path.join(templates, file), "utf8").matchAll(/\{([^{}]*)\} from "@\/([^"]+)"/g)]
    .filter(([, , from = ""]) => !/sample-items|prisma\/generated/.test(from))
    .map(([, names = "", from = ""]) => ({ file, from, names: names.split(",") })),
);

test.each(imports)("$file imports from $from what it exports", ({ from, names }) => {
  const source = [".ts", ".tsx"]
    .map((end) => from + end)
    .find((candidate) => existsSync(candidate));
  const text = readFileSync(source ?? from, "utf8");
  for (const name of names.map((given) => given.replace("type ", "").trim()).filter(Boolean))
    expect(text).toMatch(
      new RegExp(
        `export (async )?(function|const|type|class) ${name}\\b|^export \\{[^}]*\\b${name}\\b`,
        "m",
      ),
    );
});

test.each(edits)("$file has the line that an edit is next to: $inside$after$before", (edit) => {
  const anchor = edit.inside ?? edit.after ?? edit.before ?? "";
  const lines = readFileSync(edit.file, "utf8").split("\n");
  expect(lines.filter((line) => line.trimStart().startsWith(anchor))).not.toEqual([]);
});

test.each([
  [["tags"], "a sample item, SampleItems, sampleItem", "a tag, Tags, tag"],
  [["price-lists"], "sample-items, sample_item.created", "price-lists, price_list.created"],
  [["price-lists"], "Sample items, sampleItemId, smp_0", "Price lists, priceListId, pri_0"],
  [["orders"], "A sample item", "An order"],
  [["categories"], "sample item of sample items", "category of categories"],
  [["people", "person", "psn"], 'sample-items "smp"', 'people "psn"'],
] as const)("%j: %s becomes %s", ([plural, singular, prefix], text, expected) => {
  expect(renamed(text, namesOf(plural, singular, prefix))).toBe(expected);
});

test.each([["Tags"], ["tag"], ["1-tags"], ["tags", "tag", "t1"]])(
  "%s is refused",
  (plural, singular?: string, prefix?: string) => {
    expect(() => namesOf(plural, singular, prefix)).toThrow(/must/);
  },
);
