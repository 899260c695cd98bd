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

const delayMs = 1_000;
/** A transaction that has not committed after this many checks was rolled back. */
const maximumLooks = 30;

type Waiting = { sequence: number; looks: number };
type Shared = {
  waiting: Map<string, Waiting>;
  /** The newest sequence that this process wrote for each tenant. */
  written: Map<string, number>;
  timer?: NodeJS.Timeout;
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
 * Anchors each log whose head is newer than the last one written. Also called when a process ends.
 */
export async function flushAnchors(): Promise<void> {
  const { waiting } = state();
  const due = [...waiting];
  waiting.clear();
  const anchors: Anchor[] = [];
  for (const [tenantId, { sequence, looks }] of due) {
    const head = await db().auditEntry.findFirst({
      where: { tenantId },
      orderBy: { sequence: "desc" },
    });
    if (head)
      anchors.push({
        at: new Date().toISOString(),
        tenantId,
        sequence: head.sequence,
        hash: toHex(head.hash),
      });
    if ((head?.sequence ?? 0) >= sequence || looks >= maximumLooks || waiting.has(tenantId))
      continue;
    waiting.set(tenantId, { sequence, looks: looks + 1 });
    schedule();
  }
  const fresh = anchors.filter(isNewer);
  if (fresh.length === 0) return;
  for (const anchor of fresh) noteWritten(anchor);
  await Promise.all([appendToFile(fresh), post(fresh)]);
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

/** The anchors of a tenant's log, by sequence. A line that was truncated by a crash is skipped. */
export async function readAnchors(
  tenantId: string,
  file = env().AUDIT_ANCHOR_FILE,
): Promise<Map<number, Anchor>> {
  const anchors = new Map<number, Anchor>();
  if (!existsSync(file)) return anchors;
  for await (const line of createInterface({ input: createReadStream(file, "utf8") })) {
    if (!line.includes(tenantId)) continue;
    try {
      const anchor = JSON.parse(line) as Anchor;
      if (anchor.tenantId === tenantId) anchors.set(anchor.sequence, anchor);
    } catch {
      // Lines are written in one piece, so only a full disk or a crash leaves half a line.
    }
  }
  return anchors;
}

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
