import Link from "next/link";
import { type ComponentProps, isValidElement, type ReactNode } from "react";
import { Code, fillPlaceholders } from "./code";
import { anchorOf } from "./heading-anchor";
import { withoutFileLinks } from "./repository-links";

function textOf(node: ReactNode): string {
  if (typeof node === "string" || typeof node === "number") return String(node);
  if (Array.isArray(node)) return node.map(textOf).join("");
  return isValidElement<{ children?: ReactNode }>(node) ? textOf(node.props.children) : "";
}

function Heading({ level, children }: { level: 2 | 3; children?: ReactNode }) {
  const Tag = `h${level}` as const;
  const id = anchorOf(textOf(children));
  const size = level === 2 ? "mt-10 mb-3 text-xl" : "mt-7 mb-2 text-base";
  return (
    <Tag id={id} className={`scroll-mt-20 font-semibold tracking-tight ${size}`}>
      <a href={`#${id}`} className="hover:underline hover:underline-offset-4">
        {children}
      </a>
    </Tag>
  );
}

function Anchor({ href: written = "", children }: ComponentProps<"a">) {
  const href = withoutFileLinks(written);
  const className = "font-medium text-accent underline underline-offset-2 hover:no-underline";
  if (href.startsWith("/")) {
    return (
      <Link href={href} className={className}>
        {children}
      </Link>
    );
  }
  return (
    <a href={href} className={className}>
      {children}
    </a>
  );
}

/** MDX renders a fenced block as a `code` inside a `pre`. */
function Fence({ children }: ComponentProps<"pre">) {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) return null;
  const { className = "", children: code } = children.props;
  return <Code code={textOf(code)} language={className.replace("language-", "")} />;
}

const InlineCode = ({ children }: ComponentProps<"code">) => (
  <code className="break-words rounded-md bg-sunken px-1.5 py-0.5 font-mono text-[0.85em]">
    {fillPlaceholders(textOf(children))}
  </code>
);

export const proseComponents = {
  // The page has a title already.
  h1: () => null,
  h2: ({ children }: ComponentProps<"h2">) => <Heading level={2}>{children}</Heading>,
  h3: ({ children }: ComponentProps<"h3">) => <Heading level={3}>{children}</Heading>,
  p: ({ children }: ComponentProps<"p">) => <p className="my-4 first:mt-0 last:mb-0">{children}</p>,
  a: Anchor,
  ul: ({ children }: ComponentProps<"ul">) => (
    <ul className="my-4 list-disc space-y-1.5 pl-5 marker:text-muted">{children}</ul>
  ),
  ol: ({ children }: ComponentProps<"ol">) => (
    <ol className="my-4 list-decimal space-y-1.5 pl-5 marker:text-muted">{children}</ol>
  ),
  strong: ({ children }: ComponentProps<"strong">) => (
    <strong className="font-semibold">{children}</strong>
  ),
  blockquote: ({ children }: ComponentProps<"blockquote">) => (
    <div className="my-5 rounded-xl border border-line bg-accent-soft px-4 py-3">{children}</div>
  ),
  pre: Fence,
  code: InlineCode,
  table: ({ children }: ComponentProps<"table">) => <DocsTable>{children}</DocsTable>,
  th: ({ children }: ComponentProps<"th">) => <th className={headCell}>{children}</th>,
  td: ({ children }: ComponentProps<"td">) => <td className={bodyCell}>{children}</td>,
};

export const headCell =
  "border-line border-b px-3 py-2 text-left font-semibold text-xs whitespace-nowrap";
export const bodyCell = "border-line border-b px-3 py-2 align-top [tr:last-child>&]:border-b-0";

/** A table that is wider than the screen scrolls in its own box, which the keyboard can reach. */
export function DocsTable({ children }: { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard.
    <div className="my-5 overflow-x-auto rounded-xl border border-line bg-surface" tabIndex={0}>
      <table className="w-full border-collapse text-sm">{children}</table>
    </div>
  );
}

/** Running text: guides, explanations, descriptions. */
export const Prose = ({ children }: { children: ReactNode }) => (
  <div className="max-w-3xl text-[0.9375rem] leading-7">{children}</div>
);

export function PageTitle({
  title,
  summary,
  eyebrow,
}: {
  title: string;
  summary?: ReactNode;
  eyebrow?: ReactNode;
}) {
  return (
    <div className="mb-8 max-w-3xl space-y-2">
      {eyebrow ? <p className="font-medium text-accent text-sm">{eyebrow}</p> : null}
      <h1 className="font-semibold text-3xl tracking-tight">{title}</h1>
      {summary ? <p className="text-base text-muted leading-7">{summary}</p> : null}
    </div>
  );
}
