import { readFileSync } from "node:fs";
import path from "node:path";
import type { ReactNode } from "react";
import { PageFrame } from "@/components/docs/page-frame";
import { allDocuments } from "./content/documents";

type DocsPageProps = { path: string; isWide?: boolean; children: ReactNode };

/** The frame of the page at this path, made from its document. */
export function DocsPage({ path: address, isWide = false, children }: DocsPageProps) {
  const documents = allDocuments();
  const index = documents.findIndex((document) => document.path === address);
  const document = documents[index];
  if (!document) throw new Error(`app/docs/content/documents.ts has no page ${address}`);
  return (
    <PageFrame
      path={address}
      headings={document.sections.filter(({ anchor }) => anchor !== "")}
      previous={documents[index - 1]}
      next={documents[index + 1]}
      editUrl={editUrlOf(document.source)}
      isWide={isWide}
    >
      {children}
    </PageFrame>
  );
}

/** The repository in package.json, as a URL, without `git+` and `.git`. */
let repository: string | undefined;

/** Only if package.json names a repository. */
function editUrlOf(source: string): string | undefined {
  repository ??= repositoryOf(
    JSON.parse(readFileSync(path.join(process.cwd(), "package.json"), "utf8")),
  );
  return repository ? `${repository}/edit/main/${source}` : undefined;
}

function repositoryOf(manifest: { repository?: string | { url?: string } }): string {
  const { repository: named } = manifest;
  const url = (typeof named === "string" ? named : named?.url) ?? "";
  const address = url.replace(/^git\+/, "").replace(/\.git$/, "");
  return address.startsWith("https://") ? address : "";
}
