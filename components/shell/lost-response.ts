import { unstable_rethrow } from "next/navigation";
import type { Refusal } from "@/lib/platform/action-result";

/**
 * For a form whose action failed without a response. The form stays open with its input, because
 * the page of errors would replace it.
 */
export function lostResponse(error: unknown): Refusal {
  // Next throws redirects and not-found pages, too.
  unstable_rethrow(error);
  return {
    outcome: "refused",
    message:
      "No response came, so your input may not be saved. Check your connection and try again.",
    errors: {},
  };
}
