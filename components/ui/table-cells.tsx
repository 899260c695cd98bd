"use client";

import type { ReactNode } from "react";

// The parts of a table's rows. Like other small parts that a page has many of, they are client
// components although they need nothing of the browser: what the page carries once more for React is
// then what differs from cell to cell, without the elements and classes of each. A list has a fifth
// less HTML. The rows of long lists are client components for the same reason. The server still
// renders what depends on the viewer's role or time zone, and they get it as nodes.

export function Row({ children }: { children: ReactNode }) {
  return (
    <tr className="relative block px-4 py-4 hover:bg-sunken/60 lg:table-row lg:px-0 lg:py-0">
      {children}
    </tr>
  );
}

/** What the row is about. A link in it with the class `row-link` covers the whole row. */
export function RowName({ children }: { children: ReactNode }) {
  return (
    <th
      scope="row"
      className="block min-w-0 pb-2 text-left font-normal lg:table-cell lg:py-3 lg:pr-3 lg:pl-5 lg:align-top"
    >
      {children}
    </th>
  );
}

export function Cell({
  label,
  align = "left",
  children,
}: {
  label: string;
  align?: "left" | "right";
  children: ReactNode;
}) {
  return (
    <td
      data-label={label}
      className={`flex items-baseline justify-between gap-4 py-1 before:shrink-0 before:text-muted before:content-[attr(data-label)] lg:table-cell lg:px-3 lg:py-3 lg:align-top lg:before:content-none lg:last:pr-5 ${align === "right" ? "lg:not-last:pr-6 lg:text-right" : ""}`}
    >
      <span
        className={`min-w-0 text-right xl:whitespace-nowrap ${align === "right" ? "tabular-nums" : "lg:text-left"}`}
      >
        {children}
      </span>
    </td>
  );
}

/** The actions of a row. They lie above the link that covers the row. */
export function RowActions({ children }: { children: ReactNode }) {
  return (
    <td className="relative z-1 block pt-2 text-right lg:table-cell lg:whitespace-nowrap lg:py-2.5 lg:pr-5 lg:align-top">
      {children}
    </td>
  );
}
