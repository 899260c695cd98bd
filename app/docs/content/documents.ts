import { docsPages } from "@/components/docs/docs-pages";
import type { DocsDocument } from "./document";
import { errorDocuments, errorsDocument } from "./errors";
import { eventDocuments, eventsDocument } from "./events";
import { guideDocument } from "./guides";
import { overviewDocument } from "./overview";
import { referenceDocument, tagDocuments } from "./reference";

/** Pages that are made from declarations, each with the pages below it. */
const generated: Record<string, () => DocsDocument[]> = {
  "/docs": () => [overviewDocument()],
  "/docs/errors": () => [errorsDocument(), ...errorDocuments()],
  "/docs/events": () => [eventsDocument(), ...eventDocuments()],
  "/docs/reference": () => [referenceDocument(), ...tagDocuments()],
};

let documents: DocsDocument[] | undefined;

/** Every page below /docs, in the order of the navigation. Made once per process. */
export function allDocuments(): DocsDocument[] {
  documents ??= docsPages.flatMap((page) => generated[page.path]?.() ?? [guideDocument(page)]);
  return documents;
}

export const documentAt = (path: string): DocsDocument | undefined =>
  allDocuments().find((document) => document.path === path);
