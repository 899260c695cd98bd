import { cache } from "react";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { contentTypeLabels } from "@/components/knowledge/content-type-labels";
import { DeleteDocumentDialog } from "@/components/knowledge/delete-document-dialog";
import { documentStatusLabels } from "@/components/knowledge/document-status";
import { DocumentTable } from "@/components/knowledge/document-table";
import { EditKnowledgeBaseDialog } from "@/components/knowledge/edit-knowledge-base-dialog";
import { KnowledgeBaseHeader } from "@/components/knowledge/knowledge-base-header";
import { PasteTextDialog } from "@/components/knowledge/paste-text-dialog";
import { RetryButton } from "@/components/knowledge/retry-button";
import { UploadZone } from "@/components/knowledge/upload-zone";
import { DeleteDialog } from "@/components/shell/delete-dialog";
import { AutoRefresh } from "@/components/ui/auto-refresh";
import { EmptyState } from "@/components/ui/empty-state";
import { Filters } from "@/components/ui/filters";
import { MetadataList } from "@/components/ui/metadata-list";
import { Pager } from "@/components/ui/pager";
import { Facts, Panel } from "@/components/ui/panel";
import { RawJson } from "@/components/ui/raw-json";
import { RoleNote } from "@/components/ui/role-note";
import { Time } from "@/components/ui/time";
import { getKnowledgeBase } from "@/lib/knowledge/bases/service";
import {
  documentStatuses,
  listDocumentsQuery,
  maximumDocumentBytes,
} from "@/lib/knowledge/documents/schema";
import { listDocuments } from "@/lib/knowledge/documents/service";
import { env } from "@/lib/platform/env";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import type { DocumentStatus } from "@/prisma/generated/enums";
import {
  deleteDocumentAction,
  deleteKnowledgeBaseAction,
  retryDocumentAction,
  updateKnowledgeBaseAction,
} from "../actions";
import { acceptedFiles } from "./accepted-files";
import { formatDocumentSize } from "./document-size";

const load = cache(getKnowledgeBase);

export const generateMetadata = objectTitle<"knowledgeBaseId">(
  "Knowledge",
  async (caller, { knowledgeBaseId }) => (await load(caller, knowledgeBaseId)).name,
);

const followMs = 2_000;

const statusFilter = {
  name: "status",
  label: "Status",
  options: documentStatuses.map((status) => ({
    value: status,
    label: documentStatusLabels[status],
  })),
};

export default dashboardPage<"knowledgeBaseId">(
  async ({ caller, role, tenant, environment, base, params, query, now }) => {
    const { data: documents, nextCursor } = await listDocuments(
      caller,
      params.knowledgeBaseId,
      parse(listDocumentsQuery, query, "query"),
    );
    const found = await load(caller, params.knowledgeBaseId);
    const isWholeList = Object.keys(query).length === 0 && !nextCursor;
    // The list was read a moment earlier. If it is complete, the header uses its length as the count.
    const knowledgeBase = isWholeList
      ? { ...found, documentCounts: countByStatus(documents) }
      : found;
    const { pending, processing, ready, failed } = knowledgeBase.documentCounts;
    const path = `${base}/knowledge/${knowledgeBase.id}`;
    const uploadUrl = `/api/dashboard${base}/knowledge-bases/${knowledgeBase.id}/documents`;
    const place = { tenant: tenant.slug, environment };
    const mayWrite = hasRole(role, "MEMBER");

    return (
      <>
        {pending + processing > 0 ? <AutoRefresh everyMs={followMs} /> : null}
        <KnowledgeBaseHeader
          knowledgeBase={knowledgeBase}
          base={base}
          current="documents"
          actions={
            mayWrite ? (
              <>
                <DeleteDialog
                  title={`Delete “${knowledgeBase.name}”?`}
                  environment={environment}
                  confirm="Delete knowledge base"
                  remove={deleteKnowledgeBaseAction.bind(null, place, knowledgeBase.id)}
                  done={`“${knowledgeBase.name}” deleted.`}
                  goTo={`${base}/knowledge`}
                >
                  <p>
                    This deletes its documents ({pending + processing + ready + failed}) with their
                    files, too. Agents that use it no longer find anything in it. This cannot be
                    undone.
                  </p>
                </DeleteDialog>
                <EditKnowledgeBaseDialog
                  knowledgeBase={{
                    id: knowledgeBase.id,
                    name: knowledgeBase.name,
                    description: knowledgeBase.description,
                    metadata: knowledgeBase.metadata,
                  }}
                  base={base}
                  update={updateKnowledgeBaseAction.bind(null, place, knowledgeBase.id)}
                />
                <PasteTextDialog
                  knowledgeBaseId={knowledgeBase.id}
                  url={uploadUrl}
                  environment={environment}
                  documentsPath={`${path}/documents`}
                />
              </>
            ) : (
              <RoleNote sentence={roleSentence("MEMBER", "upload, retry and delete documents")} />
            )
          }
        />
        {mayWrite ? (
          <UploadZone
            url={uploadUrl}
            documentsPath={`${path}/documents`}
            maximumBytes={maximumDocumentBytes}
            accepted={acceptedFiles}
          />
        ) : null}
        {pending + processing + ready + failed > 0 ? (
          <>
            <Filters filters={[statusFilter]} />
            {documents.length > 0 ? (
              <DocumentTable
                path={path}
                now={now}
                rows={documents.map((document) => ({
                  document,
                  typeName: contentTypeLabels[document.contentType],
                  actions: mayWrite ? (
                    <>
                      {document.status === "FAILED" ? (
                        <RetryButton
                          name={document.name}
                          size="small"
                          retry={retryDocumentAction.bind(
                            null,
                            place,
                            knowledgeBase.id,
                            document.id,
                          )}
                        />
                      ) : null}
                      <DeleteDocumentDialog
                        name={document.name}
                        environment={environment}
                        documentSize={formatDocumentSize(document)}
                        size="small"
                        remove={deleteDocumentAction.bind(
                          null,
                          place,
                          knowledgeBase.id,
                          document.id,
                        )}
                      />
                    </>
                  ) : null,
                }))}
              />
            ) : (
              <EmptyState title="No documents match this filter">Choose another status.</EmptyState>
            )}
            <Pager path={path} query={query} nextCursor={nextCursor} />
          </>
        ) : (
          <EmptyState title="No documents yet" curl={uploadByApi(knowledgeBase.id, environment)}>
            Upload the first one above. It is read in the background, and can be searched once it is
            ready.
          </EmptyState>
        )}
        <div className="mt-5 space-y-5">
          <Panel title="About this knowledge base">
            <Facts
              facts={[
                {
                  name: "Created",
                  value: <Time at={new Date(knowledgeBase.createdAt)} now={now} />,
                },
                { name: "Metadata", value: <MetadataList metadata={knowledgeBase.metadata} /> },
              ]}
            />
          </Panel>
          <RawJson value={knowledgeBase} label="the knowledge base as JSON" base={base} />
        </div>
      </>
    );
  },
);

function countByStatus(documents: { status: DocumentStatus }[]) {
  const countOf = (status: DocumentStatus) =>
    documents.filter((document) => document.status === status).length;
  return {
    pending: countOf("PENDING"),
    processing: countOf("PROCESSING"),
    ready: countOf("READY"),
    failed: countOf("FAILED"),
  };
}

const uploadByApi = (
  id: string,
  environment: string,
) => `curl ${env().APP_URL}/v1/public/knowledge-bases/${id}/documents \\
  -H "Authorization: Bearer ${env().SERVICE_PREFIX}_${environment}_…" \\
  -F "file=@manual.pdf"`;
