import { type FormEvent, useState } from "react";

type Refused = { errors?: Record<string, string> };

/**
 * The errors of a refused form. The error of a field disappears when `correct` is called with its
 * name, and so do those of its parts: `headers` covers `headers.X-Team`.
 */
export function useFieldErrors(refused: Refused | null) {
  const [corrected, setCorrected] = useState({ refused, fields: [] as string[] });
  // The next refusal shows all its errors again.
  const fields = corrected.refused === refused ? corrected.fields : [];
  const errors: Record<string, string> = Object.fromEntries(
    Object.entries(refused?.errors ?? {}).filter(
      ([name]) => !fields.some((field) => `${name}.`.startsWith(`${field}.`)),
    ),
  );

  function correct(field: string): void {
    if (!refused) return;
    // The event of one control can correct two fields.
    setCorrected((earlier) => ({
      refused,
      fields: [...new Set(earlier.refused === refused ? earlier.fields : []).add(field)],
    }));
  }

  /** For the form's `onInput`. */
  const correctEdited = ({ target }: FormEvent<HTMLFormElement>): void =>
    correct((target as HTMLInputElement).name);

  return { errors, correct, correctEdited };
}
