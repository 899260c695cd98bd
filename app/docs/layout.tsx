import type { ReactNode } from "react";
import { docsSections } from "@/components/docs/docs-pages";
import { DocsShell } from "@/components/docs/docs-shell";
import { referencePath } from "@/lib/platform/openapi";
import { referenceTags } from "./content/reference";

export const metadata = {
  title: { default: "Documentation · Parlance", template: "%s · Parlance docs" },
  description: "Guides and the API reference of Parlance.",
};

// The pages contain the URL of this installation, which is unknown when they are
// built.
export const dynamic = "force-dynamic";

export default function DocsLayout({ children }: { children: ReactNode }) {
  const references = referenceTags().map(({ name }) => ({
    path: referencePath(name),
    title: name,
  }));
  const sections = docsSections.map(({ title, pages }) => ({
    title,
    pages: title === "Reference" ? [...pages, ...references] : pages,
  }));
  return <DocsShell sections={sections}>{children}</DocsShell>;
}
