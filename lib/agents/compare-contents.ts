import { diffArrays, diffWordsWithSpace } from "diff";
import { changedFields } from "@/lib/platform/changes";
import type { AgentContent } from "./schema";

/** Part of a line. A removed line has no added pieces, and an added line has no removed ones. */
export type Piece = { kind: "same" | "removed" | "added"; text: string };
export type ComparedLine = Piece["kind"] extends infer Kind
  ? { kind: Kind; pieces: Piece[] }
  : never;
/** `omitted` counts lines that are left out: unchanged ones, and ones past the limit. */
export type ComparedPart = ComparedLine | { kind: "omitted"; count: number };
export type FieldChange = { field: keyof AgentContent; parts: ComparedPart[] };

/** Lines shown before and after each change. */
const context = 3;
const maximumLines = 1_000;
/**
 * Texts with more edits than this are shown as entirely different: comparing them would take long,
 * and the result would be unreadable.
 */
const maximumLineEdits = 1_000;
const maximumWordEdits = 400;
/**
 * Lines with a smaller share of common text are not compared word by word: the result would be
 * unreadable.
 */
const leastInCommon = 0.3;

/**
 * What publishing `after` would change, field by field and line by line, in the order in which the
 * dashboard shows an agent.
 * @param before null for an agent that was never published
 * @param nameOf the name of a knowledge base
 */
export function compareContents(
  before: AgentContent | null,
  after: AgentContent,
  nameOf: (id: string) => string,
): FieldChange[] {
  const fields = Object.keys(linesOf) as (keyof AgentContent)[];
  const changed = new Set(before ? changedFields(before, after) : fields);
  return fields
    .filter((field) => changed.has(field))
    .map((field) => ({
      field,
      parts: compareLines(
        before ? linesOf[field](before, nameOf) : [],
        linesOf[field](after, nameOf),
      ),
    }))
    .filter(({ parts }) => parts.length > 0);
}

/** Each field as lines of text. An empty field has none. */
const linesOf: Record<
  keyof AgentContent,
  (content: AgentContent, nameOf: (id: string) => string) => string[]
> = {
  name: ({ name }) => [name],
  description: ({ description }) => toLines(description),
  model: ({ model }) => toLines(model),
  temperature: ({ temperature }) => (temperature === null ? [] : [String(temperature)]),
  instructions: ({ instructions }) => toLines(instructions),
  greeting: ({ greeting }) => toLines(greeting),
  knowledgeBaseIds: ({ knowledgeBaseIds }, nameOf) => knowledgeBaseIds.map(nameOf),
  metadata: ({ metadata }) =>
    Object.entries(metadata)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`),
};

const toLines = (text: string | null) => (text === null ? [] : text.split(/\r?\n/));

/** Exported for its tests. */
export function compareLines(before: string[], after: string[]): ComparedPart[] {
  const chunks = diffArrays(before, after, { maxEditLength: maximumLineEdits });
  if (!chunks)
    return shortened([
      ...before.map((line) => whole("removed", line)),
      ...after.map((line) => whole("added", line)),
    ]);

  const lines: ComparedLine[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    lines.push(...compareRun(removed, added));
    removed = [];
    added = [];
  };
  for (const chunk of chunks) {
    if (chunk.removed) removed.push(...chunk.value);
    else if (chunk.added) added.push(...chunk.value);
    else {
      flush();
      lines.push(...chunk.value.map((line) => whole("same", line)));
    }
  }
  flush();
  return shortened(lines);
}

const whole = (kind: Piece["kind"], text: string): ComparedLine => ({
  kind,
  pieces: [{ kind, text }],
});

/**
 * Compares replaced lines word by word: the first removed line with the first added one, and so on.
 */
function compareRun(removed: string[], added: string[]): ComparedLine[] {
  const pairs = removed.map((line, index) => [line, added[index]] as const);
  const compared = pairs.map(([before, after]) =>
    after === undefined ? null : compareWords(before, after),
  );
  return [
    ...removed.map(
      (line, index): ComparedLine => compared[index]?.removed ?? whole("removed", line),
    ),
    ...added.map((line, index): ComparedLine => compared[index]?.added ?? whole("added", line)),
  ];
}

function compareWords(
  before: string,
  after: string,
): { removed: ComparedLine; added: ComparedLine } | null {
  const changes = diffWordsWithSpace(before, after, { maxEditLength: maximumWordEdits });
  if (!changes) return null;
  const pieces = changes.map(
    ({ value, added, removed }): Piece => ({
      kind: added ? "added" : removed ? "removed" : "same",
      text: value,
    }),
  );
  const inCommon = pieces.reduce(
    (length, { kind, text }) => length + (kind === "same" ? text.trim().length : 0),
    0,
  );
  if (inCommon < leastInCommon * Math.max(before.length, after.length)) return null;
  const without = (kind: Piece["kind"]) => joined(pieces.filter((piece) => piece.kind !== kind));
  return {
    removed: { kind: "removed", pieces: without("added") },
    added: { kind: "added", pieces: without("removed") },
  };
}

/** Joins adjacent pieces of one kind. The space between two changed words counts as changed too. */
function joined(pieces: Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const [index, { kind: ownKind, text }] of pieces.entries()) {
    const last = result.at(-1);
    const next = pieces[index + 1]?.kind;
    const kind = text.trim() === "" && last && last.kind === next ? next : ownKind;
    if (last?.kind === kind) result[result.length - 1] = { kind, text: last.text + text };
    else result.push({ kind, text });
  }
  return result;
}

/**
 * Leaves out unchanged lines far from any change, and everything past the limit. Returns nothing if
 * nothing changed.
 */
function shortened(lines: ComparedLine[]): ComparedPart[] {
  const isNear = new Array<boolean>(lines.length).fill(false);
  for (const [index, { kind }] of lines.entries()) {
    if (kind !== "same") isNear.fill(true, Math.max(0, index - context), index + context + 1);
  }
  const parts: ComparedPart[] = [];
  let shown = 0;
  let omitted = 0;
  const flush = () => {
    if (omitted > 0) parts.push({ kind: "omitted", count: omitted });
    omitted = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (!isNear[index] || shown >= maximumLines) {
      omitted++;
      continue;
    }
    flush();
    parts.push(line);
    shown++;
  }
  if (shown > 0) flush();
  return parts;
}
