import type { Caller } from "./call";
import type {
  CreateDocumentBody,
  CreateKnowledgeBaseBody,
  ListDocumentsQuery,
  ListKnowledgeBasesQuery,
  SearchKnowledgeBaseQuery,
} from "./generated/types";
import type { RequestOptions } from "./transport";
import { toForm, type UploadFileBody } from "./upload";

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
      const input = "file" in body ? { form: () => toForm(body) } : { body };
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

    delete: (knowledgeBaseId: string, documentId: string, options?: RequestOptions) =>
      call(
        "DELETE /knowledge-bases/{knowledgeBaseId}/documents/{documentId}",
        { path: { knowledgeBaseId, documentId } },
        options,
      ),
  },
});
