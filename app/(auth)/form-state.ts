import type { z } from "zod";
import { predicateOf } from "@/lib/api/predicates";
import { errorOfField } from "@/lib/platform/action-result";
import { AppError } from "@/lib/platform/errors";

/** What a form shows after a failed submission. `values` never contains passwords. */
export type FormState = {
  message?: string;
  errors?: Record<string, string>;
  values?: Record<string, string>;
  /** Whether there is nothing left to do in the form. */
  isSent?: boolean;
};

export const textOf = (form: FormData, name: string) => {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
};

/** The first issue of each field. */
export function fieldErrors(error: z.ZodError<Record<string, unknown>>): FormState {
  const found = error.issues.map(
    (issue) => [issue.path.join("."), errorOfField(predicateOf(issue))] as const,
  );
  return { errors: Object.fromEntries(found.reverse()) };
}

/** The message of an error that the user can fix. Other errors are thrown. */
export function asMessage(error: unknown): { message: string } {
  if (error instanceof AppError) return { message: error.detail };
  throw error;
}

/** The outcome when trying again in a moment helps, such as while the server hashes many passwords. */
export function asUnavailable(error: unknown) {
  if (error instanceof AppError && error.kind === "unavailable")
    return { outcome: "unavailable" as const, detail: error.detail };
  throw error;
}
