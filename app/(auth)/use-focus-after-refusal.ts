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
    const inputs = form.current?.querySelectorAll<HTMLInputElement>("input:not([type=hidden])");
    const fields = [...(inputs ?? [])];
    const isInvalid = (field: Element) => field.matches("[aria-invalid=true]");
    (fields.find(isInvalid) ?? fields.find(({ value }) => value === ""))?.focus();
  }, [state]);
  return form;
}
