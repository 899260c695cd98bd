import { anchorOf } from "@/components/docs/heading-anchor";

/** A part of a page that has an anchor. */
export type DocsSection = { title: string; anchor: string; level: 2 | 3; markdown: string };

/**
 * A page of the documentation as Markdown: what programs read, what the search finds, and what
 * "On this page" lists. It has placeholders for the addresses and the key prefix of the
 * installation: see `fillPlaceholders`.
 */
export type DocsDocument = {
  path: string;
  title: string;
  summary: string;
  /** The file to edit to change the page. */
  source: string;
  /** Words that find the page and are not in its text. */
  keywords?: string;
  intro: string;
  sections: DocsSection[];
};

export const toMarkdown = ({ title, summary, intro, sections }: DocsDocument): string =>
  `${[
    `# ${title}`,
    summary,
    intro,
    ...sections.flatMap((section) => [
      `${"#".repeat(section.level)} ${section.title}`,
      section.markdown,
    ]),
  ]
    .filter((part) => part !== "")
    .join("\n\n")}\n`;

/** Splits Markdown at its headings. Ignores lines of code that look like headings. */
export function splitAtHeadings(markdown: string): Pick<DocsDocument, "intro" | "sections"> {
  const intro: string[] = [];
  const sections: (Omit<DocsSection, "markdown"> & { lines: string[] })[] = [];
  let isCode = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const [, marks, heading] = (!isCode && /^(###?) (.+)$/.exec(line)) || [];
    if (marks && heading) {
      const title = heading.replaceAll(/[`*]/g, "");
      const level = marks.length === 2 ? 2 : 3;
      sections.push({ title, anchor: anchorOf(title), level, lines: [] });
    } else (sections.at(-1)?.lines ?? intro).push(line);
  }
  return {
    intro: intro.join("\n").trim(),
    sections: sections.map(({ lines, ...section }) => ({
      ...section,
      markdown: lines.join("\n").trim(),
    })),
  };
}

export const jsonBlock = (value: unknown): string =>
  `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
