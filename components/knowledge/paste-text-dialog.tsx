"use client";

import { useRouter } from "next/navigation";
import { toast } from "sonner";
import { EnvironmentName } from "@/components/shell/environment-name";
import { FormDialog } from "@/components/shell/form-dialog";
import { buttonClass } from "@/components/ui/button";
import { DialogTrigger } from "@/components/ui/dialog";
import { TextAreaField, TextField } from "@/components/ui/field";
import type { ActionResult } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";
import { type UploadResult, uploadFile } from "./upload-file";

type Props = { url: string; environment: Environment; documentsPath: string };

/**
 * Creates a document from pasted text. The text is uploaded as a file, so it can be as long as a
 * file.
 */
export function PasteTextDialog({ url, environment, documentsPath }: Props) {
  const router = useRouter();

  async function add(form: FormData) {
    const name = nameIn(form);
    // The extension of the name selects the type of text. Without one, it is plain text.
    const file = new File([String(form.get("text"))], name, { type: "text/plain" });
    return toActionResult(await uploadFile(url, file, { name }));
  }

  return (
    <FormDialog
      trigger={
        <DialogTrigger className={buttonClass({ variant: "secondary" })}>Paste text…</DialogTrigger>
      }
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

/** Keeps only the error of the name: no other field shows one. */
function toActionResult(result: UploadResult): ActionResult {
  if (result.outcome === "done") return { outcome: "done", value: null };
  if (result.outcome === "canceled") throw new Error("an upload without a signal was canceled");
  if (result.outcome === "broken-off")
    return { outcome: "refused", message: result.message, errors: {} };
  const { name } = result.errors;
  return {
    outcome: "refused",
    message: result.message,
    errors: name ? { name } : {},
    ...(result.existingId && { existingId: result.existingId }),
  };
}
