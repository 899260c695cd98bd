/** The name of the class of a kind of error: `not-found` becomes `NotFoundError`. */
export const nameOfKind = (kind: string): string =>
  `${kind.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Error`;
