import { docsSections } from "@/components/docs/docs-pages";
import { publishedDocument } from "@/lib/api/openapi";
import { env } from "@/lib/platform/env";
import { errorKinds } from "@/lib/platform/errors";
import { referencePath } from "@/lib/platform/openapi";

/** The entry point for programs that read the documentation, as proposed by llmstxt.org. */
export function GET(): Response {
  const { APP_URL: origin } = env();
  const { info, paths } = publishedDocument();
  const link = (path: string, title: string, summary: string) =>
    `- [${title}](${origin}${path}): ${summary}`;

  const guides = docsSections.flatMap(({ title, pages }) => [
    `## ${title}`,
    "",
    ...pages.map((page) => link(page.path, page.title, page.summary)),
    "",
  ]);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, operationId, summary }]) =>
      link(
        `${referencePath(tags[0] ?? "")}#${operationId}`,
        `${method.toUpperCase()} ${path}`,
        summary,
      ),
    ),
  );
  const errors = Object.entries(errorKinds).map(([kind, { status, title }]) =>
    link(`/docs/errors/${kind}`, `${status} ${kind}`, title),
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
    "",
    ...guides,
    "## Operations",
    "",
    ...operations,
    "",
    "## Error kinds",
    "",
    ...errors,
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
