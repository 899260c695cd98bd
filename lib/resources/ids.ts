import { randomFillSync } from "node:crypto";
import { encodeTime, monotonicFactory } from "ulid";

/** Every kind of thing that has an id, and the prefix that tells them apart. */
export const idPrefixes = {
  tenant: "ten",
  user: "usr",
  session: "ses",
  invitation: "inv",
  passwordReset: "pwr",
  mail: "mail",
  apiKey: "key",
  conversation: "cnv",
  message: "msg",
  customer: "cus",
  agent: "agt",
  knowledgeBase: "kb",
  document: "doc",
  webhook: "whk",
  event: "evt",
  delivery: "dlv",
  backlogTask: "btk",
  request: "req",
} as const;

export type IdKind = keyof typeof idPrefixes;

// Random numbers are drawn from the system by the thousand; one at a time, they would cost more
// than all else of an id.
const randomNumbers = new Uint32Array(1_024);
let used = randomNumbers.length;

function random(): number {
  if (used === randomNumbers.length) {
    randomFillSync(randomNumbers);
    used = 0;
  }
  return (randomNumbers[used++] ?? 0) / 2 ** 32;
}

const nextUlid = monotonicFactory(random);

/**
 * `<prefix>_` and a ULID: 26 characters whose order is the order of creation, within a process even
 * inside one millisecond.
 */
export function newId(kind: IdKind, at?: Date): string {
  return `${idPrefixes[kind]}_${nextUlid(at?.getTime())}`;
}

/**
 * An id below every one that is made at this time or later, and above every earlier one: a time as
 * a place in the order of ids.
 */
export function firstIdAt(kind: IdKind, at: Date): string {
  return `${idPrefixes[kind]}_${encodeTime(Math.max(0, at.getTime()), 10)}${"0".repeat(16)}`;
}

const ulidPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function isId(kind: IdKind, value: string): boolean {
  const prefix = idPrefixes[kind];
  return value.startsWith(`${prefix}_`) && ulidPattern.test(value.slice(prefix.length + 1));
}

/** @returns null where it is no id of ours. */
export function kindOfId(value: string): IdKind | null {
  return (Object.keys(idPrefixes) as IdKind[]).find((kind) => isId(kind, value)) ?? null;
}
