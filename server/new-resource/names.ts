/** The noun of the templates, in every form that they use, is replaced by the new noun. */
export type Names = { singular: string; plural: string; prefix: string };

/**
 * @param plural in kebab case, as in the path: `price-lists`
 * @param singular only needed if the plural is irregular
 * @param prefix of the ids. Default: the first letters of the name
 */
export function namesOf(
  plural: string,
  singular = plural
    .replace(/ies$/, "y")
    .replace(/(ss|x|ch|sh)es$/, "$1")
    .replace(/s$/, ""),
  prefix = singular.replaceAll("-", "").slice(0, 3),
): Names {
  for (const name of [plural, singular])
    if (!/^[a-z]+(-[a-z]+)*$/.test(name))
      throw new Error(`"${name}" must be in kebab case, for example price-lists.`);
  if (plural === singular)
    throw new Error(`"${plural}" must be a plural, for example price-lists.`);
  if (!/^[a-z]{2,4}$/.test(prefix))
    throw new Error(`"${prefix}" must have 2 to 4 lowercase letters.`);
  return { singular, plural, prefix };
}

/** Writes the new noun in the place of the template's: sampleItems, sample-item, "a sample item". */
export function renamed(text: string, { singular, plural, prefix }: Names): string {
  return text
    .replaceAll(/\b([Aa]) (?=sample item)/g, /^[aeiou]/.test(singular) ? "$1n " : "$1 ")
    .replaceAll(
      /(sample)([-_ ]?)(item)(s?)/gi,
      (_, first: string, gap: string, second: string, s: string) => {
        const words = (s ? plural : singular).split("-");
        const isPascal = gap === "" && first === "Sample";
        const isSentence = gap === " " && first === "Sample";
        const isCamel = gap === "" && second === "Item";
        return words
          .map((word, index) => {
            const isCapital = index === 0 ? isPascal || isSentence : isCamel;
            return isCapital ? word.charAt(0).toUpperCase() + word.slice(1) : word;
          })
          .join(gap);
      },
    )
    .replaceAll(/\bsmp(?=_)|(?<=")smp(?=")|\bsmp(?=: \()/g, prefix);
}
