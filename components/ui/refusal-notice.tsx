import Link from "next/link";
import type { Refusal } from "@/lib/platform/action-result";
import { Notice } from "./notice";

type RefusalNoticeProps = {
  refused: Refusal | null;
  /** The path of the resource that caused a conflict, without its id, for a link to it. */
  existingPath?: string;
};

/** Why a form was refused, unless the reason is shown below its fields. */
export function RefusalNotice({ refused, existingPath }: RefusalNoticeProps) {
  if (!refused) return null;
  const { message, errors, existingId } = refused;
  if (!errors[""] && Object.keys(errors).length > 0) return null;
  return (
    <Notice>
      {errors[""] ?? message}
      {existingPath && existingId ? (
        <Link
          href={`${existingPath}/${existingId}`}
          className="ml-1 font-medium underline underline-offset-2"
        >
          Open it
        </Link>
      ) : null}
    </Notice>
  );
}
