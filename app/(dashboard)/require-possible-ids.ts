import { notFound } from "next/navigation";

/**
 * Nothing has an id with a NUL, and PostgreSQL refuses to look for it. Next passes the parts of a path
 * on decoded in one place, and encoded in another.
 */
export function requirePossibleIds(parts: Record<string, string | string[]>): void {
  const isImpossible = (part: string) => part.includes("\0") || part.includes("%00");
  if (Object.values(parts).flat().some(isImpossible)) notFound();
}
