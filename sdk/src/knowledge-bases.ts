import type { Caller } from "./call";
import type {
  CreateDocumentBody,
  CreateKnowledgeBaseBody,
  ListDocumentsQuery,
  ListKnowledgeBasesQuery,
  ReplaceDocumentBody,
  SearchKnowledgeBaseQuery,
  UpdateDocumentBody,
  UpdateKnowledgeBaseBody,
} from "./generated/types";
import type { RequestOptions } from "./transport";
import type { UploadFileBody } from "./upload";

export const knowledgeBasesOf = ({ call, list }: Caller) => ({
  /** Newest first. */
  list: (query?: ListKnowledgeBasesQuery, options?: RequestOptions) =>
    list("GET /knowledge-bases", { query }, options),

  /** @throws ConflictError with `existingId` if the name is taken */
  create: (body: CreateKnowledgeBaseBody, options?: RequestOptions) =>
    call("POST /knowledge-bases", { body }, options),

  get: (knowledgeBaseId: string, options?: RequestOptions) =>
    call("GET /knowledge-bases/{knowledgeBaseId}", { path: { knowledgeBaseId } }, options),

  /**
   * The best matching documents, best first, each with plain `text` and the `ranges` in it that
   * match.
   */
  search: (knowledgeBaseId: string, query: SearchKnowledgeBaseQuery, options?: RequestOptions) =>
    call(
      "GET /knowledge-bases/{knowledgeBaseId}/search",
      { path: { knowledgeBaseId }, query },
      options,
    ),

  /** @throws ConflictError with `existingId` if the new name is taken */
  update: (knowledgeBaseId: string, body: UpdateKnowledgeBaseBody, options?: RequestOptions) =>
    call("PATCH /knowledge-bases/{knowledgeBaseId}", { path: { knowledgeBaseId }, body }, options),

  /** Deletes its documents, too. */
  delete: (knowledgeBaseId: string, options?: RequestOptions) =>
    call("DELETE /knowledge-bases/{knowledgeBaseId}", { path: { knowledgeBaseId } }, options),

  documents: {
    /** Newest first. */
    list: (knowledgeBaseId: string, query?: ListDocumentsQuery, options?: RequestOptions) =>
      list(
        "GET /knowledge-bases/{knowledgeBaseId}/documents",
        { path: { knowledgeBaseId }, query },
        options,
      ),

    /**
     * Uploads a file or text. The document is `PENDING` until its text was read, then `READY`, or
     * `FAILED` with a reason.
     * @throws ConflictError with `existingId` if the knowledge base already has the same bytes
     */
    upload: (
      knowledgeBaseId: string,
      body: UploadFileBody | CreateDocumentBody,
      options?: RequestOptions,
    ) => {
      const input = "file" in body ? { upload: body } : { body };
      return call(
        "POST /knowledge-bases/{knowledgeBaseId}/documents",
        { path: { knowledgeBaseId }, ...input },
        options,
      );
    },

    get: (knowledgeBaseId: string, documentId: string, options?: RequestOptions) =>
      call(
        "GET /knowledge-bases/{knowledgeBaseId}/documents/{documentId}",
        { path: { knowledgeBaseId, documentId } },
        options,
      ),

    update: (
      knowledgeBaseId: string,
      documentId: string,
      body: UpdateDocumentBody,
      options?: RequestOptions,
    ) =>
      call(
        "PATCH /knowledge-bases/{knowledgeBaseId}/documents/{documentId}",
        { path: { knowledgeBaseId, documentId }, body },
        options,
      ),

    /** The uploaded file, with a link to download it that is valid for 5 minutes. */
    getFile: (knowledgeBaseId: string, documentId: string, options?: RequestOptions) =>
      call(
        "GET /knowledge-bases/{knowledgeBaseId}/documents/{documentId}/file",
        { path: { knowledgeBaseId, documentId } },
        options,
      ),

    /**
     * Replaces the file. Until the new one is `READY`, a search finds the text of the earlier one.
     * @throws ConflictError with `existingId` if another document has the same bytes
     */
    replace: (
      knowledgeBaseId: string,
      documentId: string,
      body: Omit<UploadFileBody, "metadata"> | ReplaceDocumentBody,
      options?: RequestOptions,
    ) => {
      const input = "file" in body ? { upload: body } : { body };
      return call(
        "PUT /knowledge-bases/{knowledgeBaseId}/documents/{documentId}",
        { path: { knowledgeBaseId, documentId }, ...input },
        options,
      );
    },

    /** Processes a failed document again. */
    retry: (knowledgeBaseId: string, documentId: string, options?: RequestOptions) =>
      call(
        "POST /knowledge-bases/{knowledgeBaseId}/documents/{documentId}/retry",
        { path: { knowledgeBaseId, documentId } },
        options,
      ),

    delete: (knowledgeBaseId: string, documentId: string, options?: RequestOptions) =>
      call(
        "DELETE /knowledge-bases/{knowledgeBaseId}/documents/{documentId}",
        { path: { knowledgeBaseId, documentId } },
        options,
      ),
  },
});
