"use client";

import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import { focusNextHeading } from "@/components/ui/arrival-heading";
import { leaveSafely } from "@/components/ui/leave-safely";
import type { ActionResult } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";
import type { ApiCall } from "./api-call";
import { EnvironmentName } from "./environment-name";
import { FormDialog } from "./form-dialog";

type CreateDialogProps = {
  /** The text of the button and the title of the dialog. */
  title: string;
  environment: Environment;
  create: (form: FormData) => Promise<ActionResult<{ id: string }>>;
  /** The path of the new object's page, without its ID. */
  path: string;
  /** The request of the API that does the same as the form. */
  apiCall: (form: FormData) => ApiCall;
  /** Shows the icon only. */
  isIcon?: boolean;
  /** Renders the form's fields, given their errors by field name. */
  children: (errors: Record<string, string>) => ReactNode;
};

/** A short form that creates an object and opens its page. */
export function CreateDialog({
  title,
  environment,
  create,
  path,
  apiCall,
  isIcon = false,
  children,
}: CreateDialogProps) {
  const router = useRouter();
  return (
    <FormDialog
      trigger={
        <>
          <Plus className="size-4" aria-hidden="true" />
          {isIcon ? null : title}
        </>
      }
      {...(isIcon && { variant: "quiet", size: "icon", label: title })}
      title={title}
      description={
        <>
          Created in <EnvironmentName environment={environment} /> only.
        </>
      }
      submit={title}
      pending="Creating…"
      send={create}
      onDone={({ id }) =>
        leaveSafely(() => {
          focusNextHeading();
          router.push(`${path}/${id}`);
        })
      }
      existingPath={path}
      apiCall={apiCall}
    >
      {children}
    </FormDialog>
  );
}
