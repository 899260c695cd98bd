import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { getKnowledgeBase } from "@/lib/knowledge/bases/service";
import {
  failStuckDocuments,
  processDocument,
  processNextDocument,
  roundRobinStart,
} from "@/lib/knowledge/documents/process-document";
import { deleteDocument, getDocument, listChunks } from "@/lib/knowledge/documents/service";
import { mutate, type Partition, reader, system } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { startProcessing } from "@/lib/scheduling/process-documents";
import { repeat } from "@/lib/scheduling/repeat";
import { listenForWakeUps } from "@/lib/scheduling/wake-listener";
import { hasWaiting } from "../support/locks";
import { newDocument } from "../support/stored-document";
import { newPartition } from "../support/webhooks";

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function start() {
  const processing = startProcessing({ pauseMs: 60_000 });
  const listener = listenForWakeUps(() => {}, processing.wake);
  stops.push(processing.stop, listener.stop);
  await listener.listening;
  return processing;
}

const endLease = (id: string) =>
  db().document.updateMany({ where: { id }, data: { leaseExpiresAt: new Date(0) } });

async function until(
  partition: Partition,
  document: { id: string; knowledgeBaseId: string },
  status: string,
) {
  const find = () => getDocument(reader(system(partition)), document.knowledgeBaseId, document.id);
  await expect.poll(async () => (await find()).status).toBe(status);
  return find();
}

test("a commit wakes the worker: a document is ready long before its next poll", async () => {
  const partition = await newPartition();
  await start();
  const document = await newDocument(partition, "A sentence. ".repeat(200));
  await until(partition, document, "READY");

  const chunks = await listChunks(reader(system(partition)), document.knowledgeBaseId, document.id);
  expect(chunks.map(({ position }) => position)).toEqual([0, 1, 2]);
  const rest = await listChunks(reader(system(partition)), document.knowledgeBaseId, document.id, {
    after: 0,
    limit: 1,
  });
  expect(rest).toEqual(chunks.slice(1, 2));
});

test("tenants take turns, no matter how many documents one of them has", async () => {
  const [many, few] = [await newPartition(), await newPartition()];
  for (let number = 0; number < 5; number++) await newDocument(many, `Text ${number}`);
  await newDocument(few, "Text");
  const turns = [];
  for (
    let turn = await processNextDocument(roundRobinStart);
    turn;
    turn = await processNextDocument(turn)
  )
    turns.push(turn.tenantId);
  expect(turns).toHaveLength(6);
  expect(turns.indexOf(few.tenantId)).toBeLessThan(2);
});

test("next to Inngest, the worker takes only documents that have waited for long", async () => {
  const partition = await newPartition();
  const { id } = await newDocument(partition, "Text");
  expect(await processNextDocument(roundRobinStart, { overdueSeconds: 120 })).toBeNull();
  await db().document.updateMany({
    where: { id },
    data: { updatedAt: new Date(Date.now() - 121_000) },
  });
  expect(await processNextDocument(roundRobinStart, { overdueSeconds: 120 })).toEqual(partition);
});

test("a worker that stops releases the document that it was reading", async () => {
  const partition = await newPartition();
  // Reading it takes a minute.
  const document = await newDocument(partition, "<div>".repeat(3_000_000), "text/html");
  const processing = await start();
  await until(partition, document, "PROCESSING");

  await processing.stop();
  expect((await db().document.findFirstOrThrow({ where: { id: document.id } })).status).not.toBe(
    "READY",
  );

  // As plain text, which takes less time.
  await db().document.updateMany({
    where: { id: document.id },
    data: { contentType: "text/plain" },
  });
  expect(await processDocument({ ...partition, id: document.id })).toBe(true);
  expect((await until(partition, document, "READY")).chunkCount).toBe(15_000);
});

test("a document that is deleted while it is read leaves nothing behind", async () => {
  const partition = await newPartition();
  const document = await newDocument(partition, "<div>".repeat(3_000_000), "text/html");
  const processing = await start();
  await until(partition, document, "PROCESSING");
  await mutate(system(partition), (caller) =>
    deleteDocument(caller, document.knowledgeBaseId, document.id),
  );
  await processing.stop();

  const base = await getKnowledgeBase(reader(system(partition)), document.knowledgeBaseId);
  expect(base).toMatchObject({
    documentCounts: { pending: 0, processing: 0, ready: 0, failed: 0 },
    sizeBytes: 0,
  });
  const events = await db().event.findMany({
    where: partition,
    select: { type: true },
    orderBy: { id: "asc" },
  });
  expect(events.map(({ type }) => type)).toEqual([
    "knowledge_base.created",
    "document.created",
    "document.deleted",
  ]);
  expect(await db().documentChunk.count({ where: partition })).toBe(0);
});

test("a document whose file is missing fails, and one that was deleted in the meantime changes nothing", async () => {
  const partition = await newPartition();
  const document = await newDocument(partition, "Text");
  await db().document.updateMany({
    where: { id: document.id },
    data: { blobKey: "gone/test/gone" },
  });
  expect(await processDocument({ ...partition, id: document.id })).toBe(true);
  expect((await until(partition, document, "FAILED")).error?.code).toBe("internal");
  expect(await processDocument({ ...partition, id: document.id })).toBe(false);
  expect(await processDocument({ ...partition, id: "doc_00000000000000000000000000" })).toBe(false);
});

test("a stuck document that cannot be failed holds up no other", async () => {
  const partition = await newPartition();
  const bad = await newDocument(partition, "Text");
  const stuck = [await newDocument(partition, "Text"), await newDocument(partition, "Text")];
  const all = [bad, ...stuck];
  for (const { id, knowledgeBaseId } of all) {
    const data = { status: "PROCESSING", leaseHolder: "slow", startedAt: new Date(0) } as const;
    await db().document.updateMany({ where: { id }, data });
    await db().knowledgeBase.updateMany({
      where: { id: knowledgeBaseId },
      data: { pendingCount: 0, processingCount: 1 },
    });
  }
  await pool().query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.id = '${bad.id}' THEN RAISE EXCEPTION 'refused by the test'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON documents FOR EACH ROW EXECUTE FUNCTION refuse()`);
  for (let run = 0; run < 3; run++) await failStuckDocuments(1);
  const rows = await db().document.findMany({ where: partition, orderBy: { id: "asc" } });
  expect(rows.map(({ status }) => status)).toEqual(["PROCESSING", "FAILED", "FAILED"]);
});

test("a stuck document that is replaced before it is failed gets another 15 minutes", async () => {
  const partition = await newPartition();
  const document = await newDocument(partition, "Text");
  const { id } = document;
  const data = { status: "PROCESSING", startedAt: new Date(0) } as const;
  await db().document.updateMany({ where: { id }, data });
  const client = await pool().connect();
  await client.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0");
  // As a replacement that a worker has claimed.
  await client.query("UPDATE documents SET started_at = now() WHERE id = $1", [id]);
  const failing = failStuckDocuments(100);
  await vi.waitUntil(() => hasWaiting(client), { timeout: 10_000 });
  await client.query("COMMIT");
  client.release();
  await failing;
  await until(partition, document, "PROCESSING");
});

test("a file of which the store returns only a part, or other bytes, is tried again", async () => {
  const partition = await newPartition();
  const document = await newDocument(partition, "All of the text");
  const { blobKey } = await db().document.findFirstOrThrow({ where: { id: document.id } });
  const file = path.join(env().BLOB_DIRECTORY, "kept", blobKey);
  for (const content of ["All of", "All of the next"]) {
    await writeFile(file, content);
    expect(await processDocument({ ...partition, id: document.id })).toBe(true);
    await until(partition, document, "PROCESSING");
    expect(await db().documentChunk.count({ where: partition })).toBe(0);
    await endLease(document.id);
  }

  await writeFile(file, "All of the text");
  expect(await processDocument({ ...partition, id: document.id })).toBe(true);
  expect((await until(partition, document, "READY")).characterCount).toBe(15);
});

test("a job that is woken while it runs runs again immediately", async () => {
  let runs = 0;
  let endFirstRun = () => {};
  const firstRun = new Promise<void>((resolve) => {
    endFirstRun = resolve;
  });
  const job = repeat(
    "test",
    async () => {
      runs++;
      await firstRun;
      return 0;
    },
    { pauseMs: 60_000, limit: 1 },
  );
  job.wake();
  expect(runs).toBe(1);
  endFirstRun();
  await expect.poll(() => runs).toBe(2);
  job.wake();
  await expect.poll(() => runs).toBe(3);
  await job.stop();
  expect(runs).toBe(3);
});
