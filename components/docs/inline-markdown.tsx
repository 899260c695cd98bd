import type { ReactNode } from "react";

const pieces = /(`[^`]+`|\*\*[^*]+\*\*)/;

/**
 * The subset of Markdown used in descriptions: code, strong text, and paragraphs separated by empty
 * lines.
 */
export function InlineMarkdown({ text }: { text: string }) {
  return text.split(pieces).map((piece, index): ReactNode => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed text never change their order.
    if (piece.startsWith("`")) return <InlineCode key={index}>{piece.slice(1, -1)}</InlineCode>;
    // biome-ignore lint/suspicious/noArrayIndexKey: as above.
    if (piece.startsWith("**")) return <strong key={index}>{piece.slice(2, -2)}</strong>;
    return piece;
  });
}

export const InlineCode = ({ children }: { children: ReactNode }) => (
  <code className="break-words rounded-md bg-sunken px-1.5 py-0.5 font-mono text-[0.85em]">
    {children}
  </code>
);
