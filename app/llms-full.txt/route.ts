import { allDocuments } from "@/app/docs/content/documents";
import { toPublishedMarkdown } from "@/app/docs/content/published-markdown";

let text: string | undefined;

/** Every page of the documentation in one file, in the order of the navigation. */
export function GET(): Response {
  // The same until the process ends, and anyone may ask for it.
  text ??= allDocuments().map(toPublishedMarkdown).join("\n---\n\n");
  return new Response(text, {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "public, max-age=300",
    },
  });
}

export const dynamic = "force-dynamic";
