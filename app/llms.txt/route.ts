import { allDocuments } from "@/app/docs/content/documents";
import { referenceTags } from "@/app/docs/content/reference";
import { describedOperations } from "@/app/docs/reference/described";
import { docsSections } from "@/components/docs/docs-pages";
import { wheelName } from "@/components/docs/wheel-name";
import { genericDocument } from "@/lib/api/openapi";
import { env } from "@/lib/platform/env";
import { operationPath, referencePath } from "@/lib/platform/openapi";

/** The entry point for programs that read the documentation, as proposed by llmstxt.org. */
export function GET(): Response {
  const { APP_URL: origin } = env();
  const { info } = genericDocument();
  const link = (path: string, title: string, summary: string) =>
    `- [${title}](${origin}${path}): ${summary}`;
  const pagesBelow = (parent: string) =>
    allDocuments()
      .filter(({ path }) => path.startsWith(`${parent}/`))
      .map(({ path, title, summary }) => link(`${path}.md`, title, summary));

  const guides = docsSections.flatMap(({ title, pages }) => [
    `## ${title}`,
    "",
    ...pages.map((page) => link(`${page.path}.md`, page.title, page.summary)),
    "",
  ]);
  const operations = referenceTags().flatMap(({ name }) =>
    describedOperations(name).map(({ method, path, operation: { operationId, summary } }) =>
      link(`${operationPath(name, operationId)}.md`, `${method} ${path}`, summary),
    ),
  );
  const lines = [
    `# ${info.title}`,
    "",
    `> ${info.summary}`,
    "",
    info.description,
    "",
    link(
      "/docs/openapi.json",
      "openapi.json",
      "The whole API as OpenAPI 3.1, with every response, problem and event.",
    ),
    link("/llms-full.txt", "llms-full.txt", "All pages of the documentation in one file."),
    link("/docs/sdk.md", "TypeScript client", `\`npm install ${origin}/sdk.tgz\``),
    link("/docs/python.md", "Python client", `\`pip install ${origin}/sdk/${wheelName}\``),
    "",
    ...guides,
    "## Objects of the API",
    "",
    ...referenceTags().map(({ name, description }) =>
      link(`${referencePath(name)}.md`, name, description),
    ),
    "",
    "## Operations",
    "",
    ...operations,
    "",
    "## Events",
    "",
    ...pagesBelow("/docs/events"),
    "",
    "## Error kinds",
    "",
    ...pagesBelow("/docs/errors"),
    "",
  ];
  return new Response(lines.join("\n"), {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "public, max-age=300",
    },
  });
}

export const dynamic = "force-dynamic";
