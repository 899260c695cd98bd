import { fillPlaceholders } from "@/components/docs/code";
import { env } from "@/lib/platform/env";
import { type DocsDocument, toMarkdown } from "./document";
import { documentAt } from "./documents";

/**
 * The page as this installation publishes it. Its links are absolute, because a program may store
 * the text anywhere, and those to other pages lead to their Markdown.
 */
export const toPublishedMarkdown = (document: DocsDocument): string =>
  fillPlaceholders(toMarkdown(document)).replaceAll(
    /\]\((\/[^)#\s]*)(#[^)\s]*)?\)/g,
    (_, path: string, anchor = "") =>
      `](${env().APP_URL}${path}${documentAt(path) ? ".md" : ""}${anchor})`,
  );
