import type { Member } from "./action-types";

const wordCharacter = /[\p{L}\p{N}_]/u;
const mostShown = 6;

const normalized = (text: string) => text.normalize("NFKC").toLowerCase();

/** Where a mention that is being typed starts, at its `@`, and who may be meant. */
export type Suggestions = { start: number; members: Member[] };

/**
 * The members whose name, a word of their name, or address starts with what follows the `@` before
 * the caret. Null if there are none, or no mention is being typed.
 * @param before the text before the caret
 */
export function findSuggestions(before: string, members: Member[]): Suggestions | null {
  const line = before.lastIndexOf("\n") + 1;
  // An address contains an `@` of its own, so the nearest one is not always the first.
  for (
    let start = before.lastIndexOf("@");
    start >= line;
    start = before.lastIndexOf("@", start - 1)
  ) {
    const isStart = start === 0 || !wordCharacter.test(before[start - 1] ?? "");
    const found = isStart ? matching(normalized(before.slice(start + 1)), members) : [];
    if (found.length > 0) return { start, members: found };
    if (start === 0) break;
  }
  return null;
}

function matching(typed: string, members: Member[]): Member[] {
  if (typed.startsWith(" ")) return [];
  const starts = ({ name, email }: Member) =>
    [name, ...name.split(" "), email].some((text) => normalized(text).startsWith(typed));
  return members.filter(starts).slice(0, mostShown);
}

/** What mentions this member and no one else: their name, or their address if another has that name. */
export function mentionOf({ id, name, email }: Member, members: Member[]): string {
  const isShared = members.some(
    (other) => other.id !== id && normalized(other.name) === normalized(name),
  );
  return `@${isShared ? email : name} `;
}
