import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { docsPages } from "./docs-pages";
import { anchorOf } from "./heading-anchor";

/** A search result: its title, its page and its URL. */
export type SearchEntry = { title: string; page: string; href: string };

/** The guides and their headings, read once. */
export const guideEntries: SearchEntry[] = docsPages.flatMap(({ path: href, title, summary }) => [
  { title, page: summary, href },
  ...headingsOf(href.replace("/docs/", "")).map((heading) => ({
    title: heading,
    page: title,
    href: `${href}#${anchorOf(heading)}`,
  })),
]);

/** Empty for pages that are not guides. */
function headingsOf(slug: string): string[] {
  const file = path.join(process.cwd(), "docs/guides", `${slug}.mdx`);
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
  return [...text.matchAll(/^###? (.+)$/gm)].map(([, heading = ""]) =>
    heading.replaceAll(/[`*]/g, ""),
  );
}
