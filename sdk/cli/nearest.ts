/** The most similar name, or null if none is similar. */
export function nearest(given: string, names: string[]): string | null {
  let best: { name: string; distance: number } | null = null;
  for (const name of names) {
    const distance = editDistance(given, name);
    if (distance < (best?.distance ?? 1 + Math.max(2, given.length / 3))) best = { name, distance };
  }
  return best?.name ?? null;
}

/** How many characters must be inserted, deleted or replaced. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++)
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1),
      );
    previous = current;
  }
  return previous[to.length] ?? 0;
}
