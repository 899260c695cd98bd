import type { ReactNode } from "react";
import { CopyableId } from "@/components/ui/copyable-id";
import { PageHeader } from "@/components/ui/page-header";
import { TabLinks } from "@/components/ui/tabs";
import type { KnowledgeBase } from "@/lib/knowledge/bases/schema";
import { byteSize } from "@/lib/platform/byte-size";
import { DocumentCounts } from "./knowledge-base-table";
import { languageName } from "./language-names";

type Props = {
  knowledgeBase: KnowledgeBase;
  base: string;
  current: "documents" | "search";
  actions?: ReactNode;
};

/** The top of a knowledge base's pages. */
export function KnowledgeBaseHeader({ knowledgeBase, base, current, actions }: Props) {
  const { id, name, description, language, documentCounts, sizeBytes } = knowledgeBase;
  const path = `${base}/knowledge/${id}`;
  return (
    <>
      <PageHeader
        title={name}
        description={
          <>
            {description ? <p className="break-words">{description}</p> : null}
            <div className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1">
              <DocumentCounts counts={documentCounts} />
              <span className="tabular-nums">{byteSize(sizeBytes)}</span>
              {language ? <span>{languageName(language)}</span> : null}
              <CopyableId id={id} />
            </div>
          </>
        }
        trail={[{ name: "Knowledge", href: `${base}/knowledge` }]}
        actions={actions}
      />
      <TabLinks
        label="Views of this knowledge base"
        tabs={[
          { name: "Documents", href: path, isCurrent: current === "documents" },
          { name: "Search", href: `${path}/search`, isCurrent: current === "search" },
        ]}
      />
    </>
  );
}
