import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

// Documentation and comments name files. When a file moves, its mentions must be updated.

const folders = "app|bench|components|docs|inngest|lib|prisma|sdk|server|tests";
const mention = new RegExp(
  String.raw`(?<![\w./@-])(?:${folders})/(?:[\w./*-]|\(\w+\)|\[\w+\])*\.(?:mdx?|tsx?|mjs|sql|prisma)\b`,
  "g",
);
const folderMention = new RegExp(String.raw`\`((?:${folders})/[\w./()[\]-]*)\``, "g");
const link = /\]\((?!https?:|mailto:|#|\/)([^)#\s]+)[^)]*\)/g;

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => !/(^|\/)(node_modules|generated|dist)\//.test(file))
    .map((file) => path.join(folder, file));
// A symbolic link is read where its target is.
const markdown = [
  ...readdirSync(".").filter((file) => file.endsWith(".md")),
  ...filesIn("docs").filter((file) => /\.mdx?$/.test(file) && !lstatSync(file).isSymbolicLink()),
  "sdk/README.md",
  "sdk-python/README.md",
];
const sources = folders
  .split("|")
  .flatMap(filesIn)
  .filter((file) => /\.(tsx?|mjs|sql|prisma)$/.test(file));

const exists = (place: string) => existsSync(place.replace(/\/$/, ""));

test.each(markdown)("%s names only files and folders that exist", (file) => {
  const text = readFileSync(file, "utf8");
  const named = [
    ...(text.match(mention) ?? []),
    ...[...text.matchAll(folderMention)].map(([, place = ""]) => place),
  ].filter((place) => !place.includes("*"));
  const linked = [...text.matchAll(link)].map(([, target = ""]) =>
    path.join(path.dirname(file), target),
  );

  expect([...named, ...linked].filter((place) => !exists(place))).toEqual([]);
});

// GitHub derives the anchor of a heading in this way.
const headingAnchorsIn = (file: string) =>
  [...readFileSync(file, "utf8").matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );

// In a source file, it names what is declared there.
const has = (file: string, anchor: string) =>
  /\.mdx?$/.test(file)
    ? headingAnchorsIn(file).includes(anchor)
    : new RegExp(`(?<![\\w.-])${anchor}(?![\\w.-])`).test(readFileSync(file, "utf8"));

test.each(markdown)("the anchors that %s links to exist in the linked file", (file) => {
  const links = readFileSync(file, "utf8").matchAll(
    /\]\((?!https?:|mailto:|\/)([^)#\s]*)#([^)\s]+)\)/g,
  );
  const broken = [...links].filter(([, target = "", anchor = ""]) => {
    const linked = target === "" ? file : path.join(path.dirname(file), target);
    return !has(linked, anchor);
  });

  expect(broken.map(([written]) => written)).toEqual([]);
});

// Only the running service has an address to sign up at, and this file.
const onlyServed = ["/signup", "/llms.txt"];

test("documents link by file, so that the links also work in the repository", () => {
  const absolute = markdown.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\]\((\/[^)#\s]+)[^)]*\)/g)]
      .filter(([, page = ""]) => !onlyServed.includes(page))
      .map(([written]) => `${file}: ${written} (see components/docs/repository-links.ts)`),
  );

  expect(markdown).toContain("docs/guides/webhooks.mdx");
  expect(absolute).toEqual([]);
});

test("comments name only files that exist", () => {
  const missing = sources.flatMap((file) =>
    (readFileSync(file, "utf8").match(/^\s*(?:\/\/|\*|--).*$|\/\*\*.*\*\/$/gm) ?? [])
      .flatMap((comment) => comment.match(mention) ?? [])
      .filter((place) => !place.includes("*") && !exists(place))
      .map((place) => `${file}: ${place}`),
  );

  expect(sources.length).toBeGreaterThan(300);
  expect(missing).toEqual([]);
});
