import { describe, expect, test } from "vitest";
import { GET as readMarkdown } from "@/app/api/docs-markdown/[[...path]]/route";
import { splitAtHeadings, toMarkdown } from "@/app/docs/content/document";
import { allDocuments, documentAt } from "@/app/docs/content/documents";
import { referenceTags } from "@/app/docs/content/reference";
import { describedOperations } from "@/app/docs/reference/described";
import { GET as readOverview } from "@/app/llms.txt/route";
import { GET as readFull } from "@/app/llms-full.txt/route";
import { docsPages } from "@/components/docs/docs-pages";
import { eventTypes } from "@/lib/events/event-types";
import { env } from "@/lib/platform/env";
import { errorKinds } from "@/lib/platform/errors";
import { operationPath, referencePath } from "@/lib/platform/openapi";
import { prefersMarkdown } from "@/lib/platform/prefers-markdown";

const markdownOf = (path: string) => {
  const segments = path.split("/").slice(2);
  return readMarkdown(new Request(`http://localhost${path}.md`), {
    params: Promise.resolve(segments.length > 0 ? { path: segments } : {}),
  });
};

describe("the pages as Markdown", () => {
  test("every page of the navigation, every event, operation and kind of error has one", () => {
    const paths = [
      ...docsPages.map(({ path }) => path),
      ...eventTypes.map((type) => `/docs/events/${type}`),
      ...Object.keys(errorKinds).map((kind) => `/docs/errors/${kind}`),
      ...referenceTags().flatMap(({ name }) => [
        referencePath(name),
        ...describedOperations(name).map(({ operation: { operationId } }) =>
          operationPath(name, operationId),
        ),
      ]),
    ];
    expect(paths.filter((path) => !documentAt(path))).toEqual([]);
    const all = allDocuments().map(({ path }) => path);
    expect(new Set(all).size).toBe(all.length);
  });

  test("their links lead to pages and anchors that exist", () => {
    const broken = allDocuments().flatMap((document) =>
      [...toMarkdown(document).matchAll(/\]\((\/docs[^)#\s]*|)(?:#([^)\s]+))?\)/g)].flatMap(
        ([link, path, anchor]) => {
          const target = path ? documentAt(path) : document;
          if (path === "/docs/openapi.json") return [];
          const isFound =
            target && (!anchor || target.sections.some((section) => section.anchor === anchor));
          return isFound ? [] : [`${document.path}: ${link}`];
        },
      ),
    );
    expect(broken).toEqual([]);
  });

  test("no link leads to a file, which only the repository has", () => {
    const files = allDocuments().flatMap((document) =>
      [...toMarkdown(document).matchAll(/\]\((?!https?:|mailto:|#|\/)[^)]+\)/g)].map(
        ([link]) => `${document.path}: ${link}`,
      ),
    );
    expect(files).toEqual([]);
  });

  test("a page has its title, its text without placeholders, and links to the Markdown of other pages", async () => {
    const response = await markdownOf("/docs/verify-signatures");
    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const text = await response.text();
    expect(text).toMatch(/^# Verifying signatures\n/);
    expect(text).toContain('```python title="verify.py"');
    expect(text).not.toMatch(/%ORIGIN%|%PREFIX%|<VerifySnippets/);

    const webhooks = await (await markdownOf("/docs/webhooks")).text();
    expect(webhooks).toContain(`](${env().APP_URL}/docs/events.md)`);
    expect(webhooks).toContain(`](${env().APP_URL}/docs/verify-signatures.md#with-a-public-key)`);
  });

  test.each([
    ["text/markdown", true],
    ["text/markdown, text/html;q=0.9", true],
    ["text/html, text/markdown", true],
    ["text/html;q=0.5, text/markdown;q=0.8", true],
    ["TEXT/HTML;Q=0.2, text/markdown", true],
    ["text/html, text/markdown;q=0.5", false],
    ["text/markdown;q=0", false],
    ["text/markdown;q=0.1, */*", false],
    ["text/html,application/xhtml+xml,*/*;q=0.8", false],
    [null, false],
  ])("Accept: %s is a request for Markdown: %s", (accept, isMarkdown) => {
    expect(prefersMarkdown(accept)).toBe(isMarkdown);
  });

  test("404 says where the list of pages is", async () => {
    const response = await markdownOf("/docs/nothing");
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("/llms.txt");
  });

  test("llms.txt links to the Markdown of every page, and llms-full.txt contains every page", async () => {
    const [overview, full] = await Promise.all([readOverview().text(), readFull().text()]);
    for (const { path, title } of allDocuments()) {
      expect(overview).toContain(`${path}.md)`);
      expect(full).toContain(`# ${title}\n`);
    }
  });

  test("a heading in code does not start a section", () => {
    const { intro, sections } = splitAtHeadings(
      "Text\n\n```sh\n## no\n```\n\n## `Yes` and **no**\n\nMore",
    );
    expect(intro).toContain("## no");
    expect(sections).toEqual([
      { title: "Yes and no", anchor: "yes-and-no", level: 2, markdown: "More" },
    ]);
  });
});
