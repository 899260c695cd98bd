import type { Caller } from "./call";
import type {
  CreateDocumentBody,
  CreateKnowledgeBaseBody,
  ListDocumentsQuery,
  ListKnowledgeBasesQuery,
  Metadata,
  SearchKnowledgeBaseQuery,
} from "./generated/types";
import type { RequestOptions } from "./transport";

/** A file of at most 20 MiB: txt, md, html, csv, json, pdf or docx. A `File` knows its name, anything else needs one. */
export type UploadFileBody = ({ file: File; name?: string } | { file: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>; name: string }) & {
  metadata?: Metadata;
};

export const knowledgeBasesOf = ({ call, list }: Caller) => ({
  /** Newest first. */
  list: (query?: ListKnowledgeBasesQuery, options?: RequestOptions) => list("GET /knowledge-bases", { query }, options),

  /** @throws ConflictError with `existingId` where the name is taken */
  create: (body: CreateKnowledgeBaseBody, options?: RequestOptions) => call("POST /knowledge-bases", { body }, options),

  get: (knowledgeBaseId: string, options?: RequestOptions) =>
    call("GET /knowledge-bases/{knowledgeBaseId}", { path: { knowledgeBaseId } }, options),

  /** The documents that fit best, the best first, each with an excerpt in HTML. */
  search: (knowledgeBaseId: string, query: SearchKnowledgeBaseQuery, options?: RequestOptions) =>
    call("GET /knowledge-bases/{knowledgeBaseId}/search", { path: { knowledgeBaseId }, query }, options),

  documents: {
    /** Newest first. */
    list: (knowledgeBaseId: string, query?: ListDocumentsQuery, options?: RequestOptions) =>
      list("GET /knowledge-bases/{knowledgeBaseId}/documents", { path: { knowledgeBaseId }, query }, options),

    /**
     * A file, or text. The document is `PENDING` until its text has been read, then `READY`, or `FAILED` with the reason.
     * @throws ConflictError with `existingId` where the base has the same bytes already
     */
    upload: (knowledgeBaseId: string, body: UploadFileBody | CreateDocumentBody, options?: RequestOptions) => {
      const input = "file" in body ? { form: toForm(body) } : { body };
      return call("POST /knowledge-bases/{knowledgeBaseId}/documents", { path: { knowledgeBaseId }, ...input }, options);
    },

    get: (knowledgeBaseId: string, documentId: string, options?: RequestOptions) =>
      call("GET /knowledge-bases/{knowledgeBaseId}/documents/{documentId}", { path: { knowledgeBaseId, documentId } }, options),

    delete: (knowledgeBaseId: string, documentId: string, options?: RequestOptions) =>
      call("DELETE /knowledge-bases/{knowledgeBaseId}/documents/{documentId}", { path: { knowledgeBaseId, documentId } }, options),
  },
});

/** A `Blob` of a file on disk is read as it is sent, and read again for a retry. */
function toForm({ file, name, metadata }: UploadFileBody): FormData {
  const form = new FormData();
  const fileName = name ?? (file as File).name;
  form.set("name", fileName);
  if (metadata) form.set("metadata", JSON.stringify(metadata));
  form.set("file", file instanceof Blob ? file : new Blob([file]), fileName);
  return form;
}
