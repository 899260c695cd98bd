"use client";

import { useRouter } from "next/navigation";
import { EnvironmentName } from "@/components/shell/environment-name";
import { FormDialog } from "@/components/shell/form-dialog";
import { TextAreaField, TextField } from "@/components/ui/field";
import { toast } from "@/components/ui/toast";
import { uploadFile } from "@/components/uploads/upload-file";
import type { Environment } from "@/prisma/generated/enums";
import { toActionResult } from "./upload-result";

type Props = {
  knowledgeBaseId: string;
  url: string;
  environment: Environment;
  documentsPath: string;
};

/**
 * Creates a document from pasted text. The text is uploaded as a file, so it can be as long as a
 * file.
 */
export function PasteTextDialog({ knowledgeBaseId, url, environment, documentsPath }: Props) {
  const router = useRouter();

  async function add(form: FormData) {
    const name = nameIn(form);
    // The extension of the name selects the type of text. Without one, it is plain text.
    const file = new File([String(form.get("text"))], name, { type: "text/plain" });
    return toActionResult(
      await uploadFile(url, file, { gone: "This knowledge base no longer exists.", name }),
    );
  }

  return (
    <FormDialog
      trigger="Paste text…"
      variant="secondary"
      title="Paste text"
      description={
        <>
          It will be in <EnvironmentName environment={environment} /> only.
        </>
      }
      submit="Add document"
      pending="Adding…"
      send={add}
      onDone={(_, form) => {
        toast.success(`“${nameIn(form)}” added. It is being processed.`);
        router.refresh();
      }}
      apiCall={(form) => ({
        operationId: "createDocument",
        ids: { knowledgeBaseId },
        body: { name: nameIn(form), text: String(form.get("text")) },
      })}
      existingPath={documentsPath}
    >
      {(errors) => (
        <>
          <TextField
            label="Name"
            name="name"
            required
            maxLength={255}
            autoComplete="off"
            error={errors.name}
            hint="An extension such as .md or .csv sets the type of text."
          />
          <TextAreaField label="Text" name="text" required rows={10} />
        </>
      )}
    </FormDialog>
  );
}

const nameIn = (form: FormData) => String(form.get("name")).trim();
