"use client";

import { useRouter } from "next/navigation";
import { FormDialog } from "@/components/shell/form-dialog";
import { FileField } from "@/components/ui/field";
import { toast } from "@/components/ui/toast";
import { uploadFile } from "@/components/uploads/upload-file";
import type { Document } from "@/lib/knowledge/documents/schema";
import { toActionResult } from "./upload-result";

type Props = {
  document: Pick<Document, "id" | "knowledgeBaseId" | "name">;
  /** The URL that the file is uploaded to. */
  url: string;
  /** The path of this knowledge base's documents, without the document id. */
  documentsPath: string;
  /** The accepted formats and the maximum size, in words. */
  accepted: string;
};

/** Uploads another file for a document, which keeps its id. */
export function ReplaceFileDialog({ document, url, documentsPath, accepted }: Props) {
  const router = useRouter();
  return (
    <FormDialog
      trigger="Replace file…"
      variant="secondary"
      title={`Replace “${document.name}”`}
      description="The document keeps its ID and gets the new file’s name. Searches find the current text until the new one is ready."
      submit="Replace file"
      pending="Uploading…"
      send={async (form) => {
        const file = form.get("file") as File;
        return toActionResult(
          await uploadFile(url, file, { gone: "This document no longer exists." }),
        );
      }}
      onDone={() => {
        toast.success("File replaced. It is being processed.");
        router.refresh();
      }}
      apiCall={(form) => ({
        operationId: "replaceDocument",
        ids: { knowledgeBaseId: document.knowledgeBaseId, documentId: document.id },
        body: {},
        // Before a file is chosen, its name is empty.
        file: (form.get("file") as File).name || document.name,
      })}
      existingPath={documentsPath}
    >
      {(errors) => (
        <FileField label="File" name="file" required hint={accepted} error={errors.name} />
      )}
    </FormDialog>
  );
}
