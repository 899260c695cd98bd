import { unstable_rethrow } from "next/navigation";
import { type FormEvent, useActionState, useEffect, useRef, useState, useTransition } from "react";
import { focusNextHeading } from "@/components/ui/arrival-heading";
import { useFieldErrors } from "@/components/ui/use-field-errors";
import type { FormState } from "./form-state";

/**
 * A form that also works before its scripts are loaded, and without JavaScript. With JavaScript, a
 * refused form keeps its input, and the error of a field disappears when the field is edited.
 * @param initial shown until the first submission
 * @param suspect the field to type again when the whole form is refused, such as the password
 * @returns `form` has the attributes of the form
 */
export function useActionForm(
  send: (before: FormState, form: FormData) => Promise<FormState>,
  { initial = {}, suspect }: { initial?: FormState; suspect?: string } = {},
) {
  const ref = useRef<HTMLFormElement>(null);
  const [posted, action] = useActionState(send, initial);
  const [sent, setSent] = useState<FormState | null>(null);
  const [, startTransition] = useTransition();
  const state = sent ?? posted;
  const { errors, correctEdited } = useFieldErrors(state);

  useEffect(() => {
    if (sent && ref.current) showRefusal(ref.current, suspect);
  }, [sent, suspect]);

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    // React resets a form after its action.
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    startTransition(async () => {
      const result = await send(state, form).catch(lostOrLeft);
      if (!isRefused(result)) focusNextHeading(location.pathname);
      setSent(result);
    });
  }

  return { state, errors, form: { ref, action, onSubmit, onInput: correctEdited } };
}

const isRefused = ({ message, errors }: FormState) => Boolean(message || errors);

function lostOrLeft(error: unknown): FormState {
  try {
    unstable_rethrow(error);
  } catch (redirect) {
    // If the link is no longer valid, its page says so under the same path.
    focusNextHeading(location.pathname);
    throw redirect;
  }
  return { message: "No response came. Check your connection and try again." };
}

/** Puts the focus into the first field with an error. Errors of the whole form are scrolled to. */
function showRefusal(form: HTMLFormElement, suspect: string | undefined): void {
  const invalid = form.querySelector<HTMLElement>("[aria-invalid=true]");
  if (invalid) {
    invalid.focus();
    return;
  }
  form.querySelector("[role=alert]")?.scrollIntoView({ block: "nearest" });
  const field = suspect ? form.elements.namedItem(suspect) : null;
  if (!(field instanceof HTMLInputElement)) return;
  field.focus();
  field.select();
}
