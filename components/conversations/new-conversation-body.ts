import { filledFields } from "@/lib/platform/form-fields";

/** What the form of a new conversation sends, as a body of the API. */
export function newConversationBody(form: FormData) {
  const { externalId, ...fields } = filledFields(form);
  return { ...fields, ...(externalId && { customer: { externalId } }) };
}
