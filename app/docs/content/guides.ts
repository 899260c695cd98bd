import { readFileSync } from "node:fs";
import path from "node:path";
import type { DocsPage } from "@/components/docs/docs-pages";
import { withoutFileLinks } from "@/components/docs/repository-links";
import { verifySnippetFiles } from "@/components/docs/verify-snippet-files";
import { type DocsDocument, splitAtHeadings } from "./document";

/** A guide, from the same file as its page. */
export function guideDocument({ path: address, title, summary }: DocsPage): DocsDocument {
  const slug = address.replace("/docs/", "");
  const isChangelog = slug === "changelog";
  // Both folders are visible here, so that the build copies only what is in them.
  const file = isChangelog
    ? path.join(process.cwd(), "CHANGELOG.md")
    : path.join(process.cwd(), "docs/guides", `${slug}.mdx`);
  const text = readFileSync(file, "utf8");
  const source = isChangelog ? "CHANGELOG.md" : `docs/guides/${slug}.mdx`;
  return { path: address, title, summary, source, ...splitAtHeadings(withoutComponents(text)) };
}

/** Replaces what only a page can show. */
const withoutComponents = (mdx: string): string =>
  mdx
    .replace(/^(import .+\n)+/, "")
    .replace(/^# .+\n/, "")
    .replace(/^<VerifySnippets \/>$/m, verifySnippets)
    .replaceAll(/(?<=\]\()[^)\s]+(?=\))/g, withoutFileLinks);

const verifySnippets = (): string =>
  verifySnippetFiles
    .map(({ file, language }) => {
      const code = readFileSync(path.join(process.cwd(), "docs/verify-webhook", file), "utf8");
      return `\`\`\`${language} title="${file}"\n${code.trimEnd()}\n\`\`\``;
    })
    .join("\n\n");
