import { randomFillSync } from "node:crypto";
import { decodeTime, encodeTime, monotonicFactory } from "ulid";
import { timeSetByTest } from "@/lib/platform/time";
import { type NounsWith, nouns } from "./registry";

export type IdKind = NounsWith<"idPrefix">;

/** The prefix of each kind of id. */
export const idPrefixes = Object.fromEntries(
  Object.entries(nouns).flatMap(([kind, noun]) =>
    "idPrefix" in noun ? [[kind, noun.idPrefix]] : [],
  ),
) as { [Kind in IdKind]: (typeof nouns)[Kind]["idPrefix"] };

// Random numbers are read from the system a thousand at a time. One at a time, they would cost more
// than the rest of an id.
const randomNumbers = new Uint32Array(1_024);
let used = randomNumbers.length;

function random(): number {
  if (used === randomNumbers.length) {
    randomFillSync(randomNumbers);
    used = 0;
  }
  return (randomNumbers[used++] ?? 0) / 2 ** 32;
}

let nextUlid = monotonicFactory(random);
/** The latest time of an id of this process. */
let latestMs = 0;

/** From then on, ids are of the current time again, also after an id of a later time. */
export function restartIds(): void {
  nextUlid = monotonicFactory(random);
  latestMs = 0;
}

/**
 * How far ids may be ahead of the clock after it was set back. Ids stay in order then. But one wrong
 * time far ahead must not be the time of all later ids, because usage and retention go by it.
 */
const mostAheadMs = 60_000;

/**
 * `<prefix>_` and a ULID: 26 characters that sort by creation time. Within a process they also sort
 * by creation inside one millisecond.
 */
export function newId(kind: IdKind, at?: Date): string {
  const nowMs = Date.now();
  if (latestMs > nowMs + mostAheadMs && !timeSetByTest()) restartIds();
  const atMs = at?.getTime() ?? nowMs;
  latestMs = Math.max(latestMs, atMs);
  return `${idPrefixes[kind]}_${nextUlid(atMs)}`;
}

/**
 * A lower bound for the ids created at this time or later. Every earlier id sorts before it, so it
 * turns a time into a position in the order of ids.
 */
export function firstIdAt(kind: IdKind, at: Date): string {
  return `${idPrefixes[kind]}_${encodeTime(Math.max(0, at.getTime()), 10)}${"0".repeat(16)}`;
}

/** The time in an id. It can be later than its row's, because ids sort by creation. */
export const idTimeMs = (id: string): number => decodeTime(id.slice(-26));

const dayMs = 86_400_000;

/**
 * Whether the item with this id may have been dropped with the partition of its week, which leaves
 * no trace of single items. A week is dropped 30 days after its end. For another 30 days, every such
 * id counts as one that existed.
 */
export function isFromDroppedWeek(kind: IdKind, id: string, at: Date): boolean {
  if (!isId(kind, id)) return false;
  const daysAgo = (days: number) => firstIdAt(kind, new Date(at.getTime() - days * dayMs));
  return id >= daysAgo(30 + 7 + 30) && id < daysAgo(30);
}

const ulidPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function isId(kind: IdKind, value: string): boolean {
  const prefix = idPrefixes[kind];
  return value.startsWith(`${prefix}_`) && ulidPattern.test(value.slice(prefix.length + 1));
}

/** @returns null if the value is not one of our ids. */
export function kindOfId(value: string): IdKind | null {
  return (Object.keys(idPrefixes) as IdKind[]).find((kind) => isId(kind, value)) ?? null;
}
