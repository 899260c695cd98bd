import { flattenError, type z } from "zod";
import { AppError } from "@/lib/platform/errors";

/** What a form shows after it was sent in vain. Passwords are not among what is given back. */
export type FormState = {
  message?: string;
  errors?: Record<string, string | undefined>;
  values?: Record<string, string>;
};

export const textOf = (form: FormData, name: string) => {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
};

/** The first finding of each field. */
export function findings(error: z.ZodError<Record<string, unknown>>): FormState {
  const { fieldErrors } = flattenError(error);
  return {
    errors: Object.fromEntries(
      Object.entries(fieldErrors).map(([field, messages]) => [
        field,
        (messages as string[] | undefined)?.[0],
      ]),
    ),
  };
}

/** What the person can mend, as a sentence. */
export function refused(error: unknown): { message: string } {
  if (error instanceof AppError) return { message: error.detail };
  throw error;
}

/** More people at once than the server hashes passwords for. */
export function unavailable(error: unknown) {
  if (error instanceof AppError && error.kind === "unavailable")
    return { outcome: "unavailable" as const, detail: error.detail };
  throw error;
}
