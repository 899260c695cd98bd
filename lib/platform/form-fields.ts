/**
 * The filled-in fields by name. Empty fields are left out. A browser sends a line break as two
 * characters, which are stored as the one that was typed.
 */
export function filledFields(form: FormData): Record<string, string> {
  const texts = [...form.entries()].flatMap(([name, value]) =>
    typeof value === "string" && value.trim() !== "" && !name.startsWith("$")
      ? [[name, value.replaceAll("\r\n", "\n")] as const]
      : [],
  );
  return Object.fromEntries(texts);
}

/** The same without surrounding white space, which the API would store as part of a name. */
export function trimmedFields(form: FormData): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filledFields(form)).map(([name, text]) => [name, text.trim()]),
  );
}
