import { createReadStream, existsSync } from "node:fs";
import { appendFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { log } from "@/lib/platform/log";

// The newest entry of an audit log has no successor that would reveal its removal, so anyone who
// controls the database could cut off the end. The newest entry is therefore also recorded outside
// the database: in a file, in the operator's log, and at AUDIT_ANCHOR_URL if that is set.

export type Anchor = { at: string; tenantId: string; sequence: number; hash: string };

/** Replaces a tenant's id in the anchors of the receipts of deleted tenants (receipts.ts). */
export const receiptsLog = "deleted-tenants";

const delayMs = 1_000;
/** A transaction that has not committed after this many checks was rolled back. */
const maximumLooks = 30;

type Waiting = { sequence: number; looks: number };
type Shared = {
  waiting: Map<string, Waiting>;
  /** The newest sequence that this process wrote for each tenant. */
  written: Map<string, number>;
  timer?: NodeJS.Timeout;
  /** Resolves when the flush in progress has ended. */
  flushing?: Promise<void>;
};
const maximumWritten = 10_000;

// On globalThis, because one process can load this module twice (lib/platform/db.ts), and both
// copies must be flushed when it ends.
const shared = globalThis as { parlanceAnchors?: Shared };

function state(): Shared {
  shared.parlanceAnchors ??= { waiting: new Map(), written: new Map() };
  return shared.parlanceAnchors;
}

/**
 * Call it in the transaction that writes the entry. The anchor is recorded a moment later, from the
 * committed entries.
 */
export function scheduleAnchor(tenantId: string, sequence: number): void {
  state().waiting.set(tenantId, { sequence, looks: 0 });
  schedule();
}

function schedule(): void {
  const current = state();
  current.timer ??= setTimeout(() => {
    current.timer = undefined;
    flushAnchors().catch((error: Error) =>
      log.warn({ error: error.message }, "the audit log's heads could not be anchored"),
    );
  }, delayMs).unref();
}

/**
 * Anchors each log whose head is newer than the last one written. Also called when a process ends,
 * so it waits for a flush in progress: that one has taken over what was waiting, but may not have
 * written it yet.
 */
export function flushAnchors(): Promise<void> {
  const current = state();
  const flushed = (current.flushing ?? Promise.resolve()).then(anchorWaiting);
  current.flushing = flushed.catch(() => {});
  return flushed;
}

/** A log whose head cannot be read waits for the next time; the others are anchored all the same. */
async function anchorWaiting(): Promise<void> {
  const { waiting } = state();
  const due = [...waiting];
  waiting.clear();
  const anchors: Anchor[] = [];
  let failure: unknown;
  for (const [tenantId, { sequence, looks }] of due) {
    try {
      const head = await newestAnchor(tenantId);
      if (head) anchors.push(head);
      if ((head?.sequence ?? 0) < sequence && looks < maximumLooks)
        lookAgain(tenantId, { sequence, looks: looks + 1 });
    } catch (error) {
      failure = error;
      lookAgain(tenantId, { sequence, looks });
    }
  }
  const fresh = anchors.filter(isNewer);
  for (const anchor of fresh) noteWritten(anchor);
  if (fresh.length > 0) await Promise.all([appendToFile(fresh), post(fresh)]);
  if (failure) throw failure;
}

async function newestAnchor(tenantId: string): Promise<Anchor | null> {
  const newest = { orderBy: { sequence: "desc" }, select: { sequence: true, hash: true } } as const;
  const head =
    tenantId === receiptsLog
      ? await db().deletedTenant.findFirst(newest)
      : await db().auditEntry.findFirst({ where: { tenantId }, ...newest });
  const at = new Date().toISOString();
  return head && { at, tenantId, sequence: head.sequence, hash: toHex(head.hash) };
}

/** Unless a later entry was scheduled meanwhile. */
function lookAgain(tenantId: string, wait: Waiting): void {
  const { waiting } = state();
  if (!waiting.has(tenantId)) waiting.set(tenantId, wait);
  schedule();
}

/** While an entry has not committed, each check finds the head that was anchored before it. */
const isNewer = ({ tenantId, sequence }: Anchor): boolean =>
  sequence > (state().written.get(tenantId) ?? 0);

function noteWritten({ tenantId, sequence }: Anchor): void {
  const { written } = state();
  if (written.size >= maximumWritten) written.clear();
  written.set(tenantId, sequence);
}

async function appendToFile(anchors: Anchor[]): Promise<void> {
  const { AUDIT_ANCHOR_FILE } = env();
  for (const anchor of anchors) log.info(anchor, "head of an audit log");
  try {
    await mkdir(path.dirname(AUDIT_ANCHOR_FILE), { recursive: true });
    await appendFile(
      AUDIT_ANCHOR_FILE,
      anchors.map((anchor) => `${JSON.stringify(anchor)}\n`).join(""),
      { mode: 0o600 },
    );
  } catch (error) {
    // A later check writes these heads again.
    for (const { tenantId } of anchors) state().written.delete(tenantId);
    log.error(
      { error: (error as Error).message, file: AUDIT_ANCHOR_FILE },
      "the audit log's heads could not be written to the file",
    );
  }
}

async function post(anchors: Anchor[]): Promise<void> {
  const { AUDIT_ANCHOR_URL } = env();
  if (!AUDIT_ANCHOR_URL) return;
  try {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ anchors });
    const response = await fetch(AUDIT_ANCHOR_URL, {
      method: "POST",
      headers,
      body,
      signal: AbortSignal.timeout(5_000),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
  } catch (error) {
    log.error(
      { error: (error as Error).message },
      "the audit log's heads could not be sent to AUDIT_ANCHOR_URL",
    );
  }
}

/**
 * The anchors of a tenant's log, by sequence. The first one of each counts: if the end of a log was
 * cut off, entries that were added later, by another process or after a restart, are anchored too.
 */
export async function readAnchors(tenantId: string, file?: string): Promise<Map<number, Anchor>> {
  const anchors = new Map<number, Anchor>();
  for await (const anchor of anchorsIn(file, tenantId))
    if (anchor.tenantId === tenantId && !anchors.has(anchor.sequence))
      anchors.set(anchor.sequence, anchor);
  return anchors;
}

/** The newest anchor of each tenant's log, and the first one of those with the same sequence. */
export async function readNewestAnchors(file?: string): Promise<Map<string, Anchor>> {
  const newest = new Map<string, Anchor>();
  for await (const anchor of anchorsIn(file)) {
    const other = newest.get(anchor.tenantId);
    if (!other || other.sequence < anchor.sequence) newest.set(anchor.tenantId, anchor);
  }
  return newest;
}

/** @param text parses only the lines with it. A line that was truncated by a crash is skipped. */
async function* anchorsIn(file = env().AUDIT_ANCHOR_FILE, text = ""): AsyncGenerator<Anchor> {
  if (!existsSync(file)) return;
  for await (const line of createInterface({ input: createReadStream(file, "utf8") })) {
    if (!line.includes(text)) continue;
    let anchor: Anchor;
    try {
      anchor = JSON.parse(line) as Anchor;
    } catch {
      // Lines are written in one piece, so only a full disk or a crash leaves half a line.
      continue;
    }
    yield anchor;
  }
}

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
