import { afterAll, afterEach, expect, test } from "vitest";
import { POST } from "@/app/api/inngest/route";
import { documentDue, registerClock } from "@/inngest/client";
import { mutate, reader, system } from "@/lib/caller";
import { db } from "@/lib/db";
import { deleteDocument, getDocument } from "@/lib/documents/service";
import { embeddedClock, setClock } from "@/lib/jobs/clock";
import { runFunction } from "../support/inngest-executor";
import { startReceiver } from "../support/receiver";
import { newDocument } from "../support/stored-document";
import { newPartition } from "../support/webhooks";

const signingKey = `signkey-test-${"0123456789abcdef".repeat(4)}`;

const inngestServer = await startReceiver((response) => {
  response.writeHead(200, { "content-type": "application/json" }).end('{"ids":["1"],"status":200}');
});
// The environment is parsed at the first call of env(), which comes later. Cloud mode: requests must be signed.
Object.assign(process.env, {
  JOBS: "inngest",
  INNGEST_EVENT_KEY: "event-key-of-this-test",
  INNGEST_SIGNING_KEY: signingKey,
  INNGEST_BASE_URL: inngestServer.url,
});
afterEach(() => setClock(embeddedClock));
afterAll(() => inngestServer.close());

const clock = { advanceTo: () => {} };

test("a commit sends Inngest the document's id, and the run reads it in one step, once", async () => {
  registerClock();
  const partition = await newPartition();
  const document = await newDocument(partition, "Text");
  await inngestServer.received(1);
  const [event] = JSON.parse(inngestServer.requests[0]?.body ?? "");
  expect(event).toMatchObject({ name: documentDue.name });
  expect(event.data).toEqual({ ...partition, documentId: document.id });

  const run = { handler: POST, functionId: "parlance-process-document", event, signingKey, clock };
  const { result, operations } = await runFunction(run);
  expect(result).toBe(true);
  expect(operations.map(({ op }) => op)).toEqual(["StepRun"]);
  expect(await getDocument(reader(system(partition)), document.knowledgeBaseId, document.id)).toMatchObject({ status: "READY" });
  expect((await runFunction(run)).result).toBe(false);
  expect(await db().event.count({ where: { tenantId: partition.tenantId, type: "document.ready" } })).toBe(1);
});

test("stuck documents and files of nobody's are tended to", async () => {
  const partition = await newPartition();
  const [stuck, deleted] = [await newDocument(partition, "Text"), await newDocument(partition, "Text")];
  const startedAt = new Date(Date.now() - 16 * 60_000);
  await db().document.updateMany({ where: { id: stuck.id }, data: { status: "PROCESSING", startedAt, leaseExpiresAt: startedAt } });
  await mutate(system(partition), (caller) => deleteDocument(caller, deleted.knowledgeBaseId, deleted.id));

  const event = { name: "inngest/scheduled.timer", data: {} };
  const run = (name: string) => runFunction({ handler: POST, functionId: `parlance-${name}`, event, signingKey, clock });
  expect((await run("fail-stuck-documents")).result).toBe(1);
  expect((await run("remove-stray-files")).result).toBe(1);
  expect(await getDocument(reader(system(partition)), stuck.knowledgeBaseId, stuck.id)).toMatchObject({ error: { code: "timeout" } });
});
