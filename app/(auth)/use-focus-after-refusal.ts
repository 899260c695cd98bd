import { useEffect, useRef } from "react";
import type { FormState } from "./form-state";

/**
 * Puts the focus into the field to correct after a submission was refused: the first invalid field,
 * or else the first empty one.
 * @returns the form's ref
 */
export function useFocusAfterRefusal(state: FormState) {
  const form = useRef<HTMLFormElement>(null);
  const first = useRef(state);
  useEffect(() => {
    if (state === first.current) return;
    const fields = [...(form.current?.querySelectorAll("input:not([type=hidden])") ?? [])];
    const wanted =
      fields.find((field) => field.getAttribute("aria-invalid") === "true") ??
      fields.find((field) => field instanceof HTMLInputElement && field.value === "");
    if (wanted instanceof HTMLInputElement) wanted.focus();
  }, [state]);
  return form;
}
