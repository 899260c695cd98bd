import { documentAt } from "@/app/docs/content/documents";
import { toPublishedMarkdown } from "@/app/docs/content/published-markdown";

type Context = { params: Promise<{ path?: string[] }> };

/** A page of the documentation as Markdown. See the rewrites in next.config.js. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const { path = [] } = await params;
  const document = documentAt(["/docs", ...path].join("/"));
  const text = document
    ? toPublishedMarkdown(document)
    : "# Not found\n\nNo page of the documentation has this address. /llms.txt lists all pages.\n";
  return new Response(text, {
    status: document ? 200 : 404,
    headers: {
      "Content-Type": "text/markdown; charset=utf-8",
      "Cache-Control": "public, max-age=300",
      Vary: "Accept",
      "X-Robots-Tag": "noindex",
    },
  });
}

export const dynamic = "force-dynamic";
