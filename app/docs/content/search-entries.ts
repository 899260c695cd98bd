import { docsPages } from "@/components/docs/docs-pages";
import type { SearchEntry } from "@/components/docs/search-index";
import { allDocuments } from "./documents";

/** What the search finds: each page, and each part of a page that has an anchor. */
export const searchEntries = (): SearchEntry[] =>
  allDocuments().flatMap(({ path, title, summary, keywords, intro, sections }) => [
    {
      id: path,
      title,
      page: kindOf(path),
      text: searchable(`${summary}\n${intro}\n${path}`),
      keywords: keywords ?? keywordsOf(path),
      weight: weights[kindOf(path)].page,
    },
    ...sections
      .filter(({ anchor }) => anchor !== "")
      .map((section) => ({
        id: `${path}#${section.anchor}`,
        title: section.title,
        page: title,
        text: searchable(`${section.markdown} ${section.anchor}`),
        weight: weights[kindOf(path)].part,
      })),
  ]);

const keywordsOf = (path: string) => docsPages.find((page) => page.path === path)?.keywords ?? "";

// A guide explains what its words mean. The reference repeats them.
const weights = {
  Guide: { page: 4, part: 2 },
  Error: { page: 1.5, part: 0.5 },
  Event: { page: 2, part: 0.5 },
  "API reference": { page: 1, part: 1 },
} as const;

function kindOf(path: string): keyof typeof weights {
  const [, , kind, name] = path.split("/");
  if (!name) return "Guide";
  const kinds = { errors: "Error", events: "Event", reference: "API reference" } as const;
  return kinds[kind as keyof typeof kinds] ?? "Guide";
}

/** Without examples in JSON, which repeat the same names everywhere, and without addresses. */
const searchable = (markdown: string): string =>
  markdown
    .replaceAll(/^```json[\s\S]*?^```$/gm, "")
    .replaceAll(/%[A-Z_]+%/g, "")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/\s+/g, " ");
