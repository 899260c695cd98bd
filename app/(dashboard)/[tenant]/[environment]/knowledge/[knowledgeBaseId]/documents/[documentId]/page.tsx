import { Download } from "lucide-react";
import { cache } from "react";
import { z } from "zod";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { ChunkList } from "@/components/knowledge/chunk-list";
import { contentTypeLabels } from "@/components/knowledge/content-type-labels";
import { DeleteDocumentDialog } from "@/components/knowledge/delete-document-dialog";
import { documentAdvice } from "@/components/knowledge/document-error-advice";
import { DocumentStatus } from "@/components/knowledge/document-status";
import { EditDocumentDialog } from "@/components/knowledge/edit-document-dialog";
import { ReplaceFileDialog } from "@/components/knowledge/replace-file-dialog";
import { RetryButton } from "@/components/knowledge/retry-button";
import { AutoRefresh } from "@/components/ui/auto-refresh";
import { buttonClass } from "@/components/ui/button";
import { CopyableId } from "@/components/ui/copyable-id";
import { MetadataList } from "@/components/ui/metadata-list";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { Pager } from "@/components/ui/pager";
import { Facts, Panel } from "@/components/ui/panel";
import { RawJson } from "@/components/ui/raw-json";
import { RoleNote } from "@/components/ui/role-note";
import { Time } from "@/components/ui/time";
import { getKnowledgeBase } from "@/lib/knowledge/bases/service";
import type { Document } from "@/lib/knowledge/documents/schema";
import { getDocument, listChunks } from "@/lib/knowledge/documents/service";
import { byteSize } from "@/lib/platform/byte-size";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { deleteDocumentAction, retryDocumentAction, updateDocumentAction } from "../../../actions";
import { acceptedFiles } from "../../accepted-files";
import { formatDocumentSize } from "../../document-size";

const load = cache(getDocument);

export const generateMetadata = objectTitle<"knowledgeBaseId" | "documentId">(
  "Knowledge",
  async (caller, { knowledgeBaseId, documentId }) =>
    (await load(caller, knowledgeBaseId, documentId)).name,
);

const followMs = 2_000;
const chunksAPage = 20;

/** The position of the last chunk on the previous page. */
const chunksQuery = z.strictObject({
  cursor: z
    .string()
    .regex(/^[0-9]{1,9}$/, "must be a cursor of this list")
    .transform(Number)
    .optional(),
});

export default dashboardPage<"knowledgeBaseId" | "documentId">(
  async ({ caller, role, tenant, environment, base, params, query, now }) => {
    const knowledgeBase = await getKnowledgeBase(caller, params.knowledgeBaseId);
    const document = await load(caller, knowledgeBase.id, params.documentId);
    const { cursor: after } = parse(chunksQuery, query, "query");
    const isFinished = document.status === "READY" || document.status === "FAILED";
    // Also while a file that replaces the first one is processed, or after that failed.
    const isSearchable = document.chunkCount !== null;
    const chunks = isSearchable
      ? await listChunks(caller, knowledgeBase.id, document.id, {
          ...(after !== undefined && { after }),
          limit: chunksAPage + 1,
        })
      : [];
    const shown = chunks.slice(0, chunksAPage);
    const basePath = `${base}/knowledge/${knowledgeBase.id}`;
    const place = { tenant: tenant.slug, environment };
    const mayWrite = hasRole(role, "MEMBER");
    const fileUrl = `/api/dashboard${base}/knowledge-bases/${knowledgeBase.id}/documents/${document.id}/file`;
    const download = (
      <a href={fileUrl} download className={buttonClass({ variant: "secondary" })}>
        <Download className="size-4" aria-hidden="true" />
        Download
      </a>
    );

    return (
      <>
        {isFinished ? null : <AutoRefresh everyMs={followMs} />}
        <PageHeader
          title={document.name}
          aside={<DocumentStatus status={document.status} />}
          description={<CopyableId id={document.id} />}
          trail={[
            { name: "Knowledge", href: `${base}/knowledge` },
            { name: knowledgeBase.name, href: basePath },
          ]}
          actions={
            mayWrite ? (
              <>
                {download}
                <DeleteDocumentDialog
                  name={document.name}
                  environment={environment}
                  documentSize={formatDocumentSize(document)}
                  remove={deleteDocumentAction.bind(null, place, knowledgeBase.id, document.id)}
                  goTo={basePath}
                />
                <EditDocumentDialog
                  document={document}
                  update={updateDocumentAction.bind(null, place, knowledgeBase.id, document.id)}
                />
                <ReplaceFileDialog
                  document={document}
                  url={fileUrl}
                  documentsPath={`${basePath}/documents`}
                  accepted={acceptedFiles}
                />
                {document.status === "FAILED" ? (
                  <RetryButton
                    name={document.name}
                    retry={retryDocumentAction.bind(null, place, knowledgeBase.id, document.id)}
                  />
                ) : null}
              </>
            ) : (
              <>
                {download}
                <RoleNote sentence={roleSentence("MEMBER", "change and delete documents")} />
              </>
            )
          }
        />
        <div className="space-y-5">
          {document.error ? (
            <Notice>
              <p className="font-medium">{document.error.message}</p>
              <p className="mt-0.5">{documentAdvice[document.error.code]}</p>
            </Notice>
          ) : null}
          {isSearchable && document.status !== "READY" ? (
            <Notice variant="warn" role="note">
              {document.status === "FAILED"
                ? "Searches still find the text of the earlier file."
                : "Searches find the text of the earlier file until this one is ready."}
            </Notice>
          ) : null}
          <Panel title="The file">
            <Facts
              facts={[
                {
                  name: "Type",
                  value: `${contentTypeLabels[document.contentType]} (${document.contentType})`,
                },
                {
                  name: "Size",
                  value:
                    document.sizeBytes < 1_024
                      ? byteSize(document.sizeBytes)
                      : `${byteSize(document.sizeBytes)} (${document.sizeBytes.toLocaleString("en")} bytes)`,
                },
                { name: "SHA-256", value: <CopyableId id={document.sha256} /> },
                { name: "Uploaded", value: <Time at={new Date(document.createdAt)} now={now} /> },
                {
                  name: "Last changed",
                  value: <Time at={new Date(document.updatedAt)} now={now} />,
                },
                { name: "Metadata", value: <MetadataList metadata={document.metadata} /> },
              ]}
            />
          </Panel>
          <Panel
            title="Extracted text"
            aside={isSearchable ? <span className="text-muted">{readOf(document)}</span> : null}
          >
            {shown.length > 0 ? (
              <ChunkList chunks={shown} />
            ) : (
              <p className="text-muted">{nothingRead[document.status]}</p>
            )}
            <Pager
              path={`${basePath}/documents/${document.id}`}
              query={query}
              nextCursor={chunks.length > chunksAPage ? String(shown.at(-1)?.position) : undefined}
            />
          </Panel>
          <RawJson value={document} label="the document as JSON" base={base} />
        </div>
      </>
    );
  },
);

const readOf = ({ characterCount, chunkCount }: Document) =>
  `${(characterCount ?? 0).toLocaleString("en")} characters in ${chunkCount === 1 ? "1 chunk" : `${(chunkCount ?? 0).toLocaleString("en")} chunks`}`;

const nothingRead: Record<Document["status"], string> = {
  PENDING: "Queued. This page refreshes automatically.",
  PROCESSING:
    "Extracting the text and splitting it into chunks. This page refreshes automatically.",
  READY: "There are no more chunks.",
  FAILED: "This document could not be read.",
};
