import { docsSections } from "@/components/docs/docs-pages";
import { anchorOf } from "@/components/docs/heading-anchor";
import type { DocsDocument } from "./document";

export const overviewDocument = (): DocsDocument => ({
  path: "/docs",
  title: "Parlance documentation",
  summary:
    "Conversations over a REST API, with reliable webhooks. Start with the quickstart, or go to the reference.",
  source: "components/docs/docs-pages.ts",
  intro: "",
  sections: docsSections.map(({ title, pages }) => ({
    title,
    anchor: anchorOf(title),
    level: 2,
    markdown: pages
      .filter(({ path }) => path !== "/docs")
      .map(({ path, title: name, summary }) => `- [${name}](${path}): ${summary}`)
      .join("\n"),
  })),
});
