import type { Language } from "@/prisma/generated/enums";

const names = new Intl.DisplayNames("en", { type: "language" });

/** The name of a language in English: `German`. */
export const languageName = (language: Language): string => names.of(language) ?? language;
