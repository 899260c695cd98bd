import type { UploadResult } from "@/components/uploads/upload-file";
import type { ActionResult } from "@/lib/platform/action-result";

/** For an upload in a dialog. Keeps only the error of the name: no other field shows errors. */
export function toActionResult(result: UploadResult): ActionResult {
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
