/** The maximum number of mentions that are read in one text. */
const maximumMentions = 50;
/** The maximum length of a member's name or email address. */
const maximumName = 254;

const normalized = (text: string) => text.normalize("NFKC").toLowerCase();
export type Mentionable = { id: string; name: string; email?: string };

const wordCharacter = /[\p{L}\p{N}_]/u;

/**
 * The members that a text mentions: `@` and the full name of a member, their email address, or their
 * first name if no one else has it. Case is ignored, and an `@` inside an email address is not a mention.
 */
export function findMentions(text: string, members: Mentionable[]): string[] {
  const byName = new Map<string, string[]>();
  const byFirstName = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, name: string, id: string) =>
    map.set(name, [...(map.get(name) ?? []), id]);
  for (const { id, name, email } of members) {
    const full = normalized(name);
    add(byName, full, id);
    if (email) add(byName, normalized(email), id);
    add(byFirstName, full.split(" ", 1)[0] ?? full, id);
  }
  for (const [first, ids] of byFirstName)
    if (ids.length === 1 && !byName.has(first)) byName.set(first, ids);

  const found = new Set<string>();
  const lower = normalized(text);
  let at = lower.indexOf("@");
  for (let count = 0; at >= 0 && count < maximumMentions; count++) {
    if (at === 0 || !wordCharacter.test(lower[at - 1] ?? ""))
      for (const id of longestName(lower.slice(at + 1, at + 2 + 3 * maximumName), byName))
        found.add(id);
    at = lower.indexOf("@", at + 1);
  }
  return [...found];
}

function longestName(text: string, byName: Map<string, string[]>): string[] {
  let best = "";
  for (const name of byName.keys()) {
    const isWhole = text.startsWith(name) && !wordCharacter.test(text[name.length] ?? "");
    if (isWhole && name.length > best.length) best = name;
  }
  return byName.get(best) ?? [];
}
