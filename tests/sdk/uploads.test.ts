import { createReadStream, mkdtempSync, openAsBlob, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { processDocument } from "@/lib/knowledge/documents/process-document";
import { listChunks } from "@/lib/knowledge/documents/service";
import { reader } from "@/lib/platform/caller";
import * as sdk from "@/sdk/src/index";
import { baseUrl, newTenant } from "../support/api";
import { startReceiver } from "../support/receiver";

const content = "We are open from nine to five. Grüße, 你好.";
const bytes = new TextEncoder().encode(content);
const folder = mkdtempSync(path.join(tmpdir(), "parlance-uploads-"));
const file = path.join(folder, "hours.txt");
beforeAll(() => writeFileSync(file, content));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function newBase() {
  const tenant = await newTenant();
  const client = new sdk.Parlance(tenant.key, { baseUrl: baseUrl() });
  return { tenant, client, base: await client.knowledgeBases.create({ name: "Base" }) };
}

/** What the service read from the file. */
async function storedText(body: sdk.UploadFileBody): Promise<{ name: string; text: string }> {
  const { tenant, client, base } = await newBase();
  const { id, name } = await client.knowledgeBases.documents.upload(base.id, body);
  await processDocument({ ...tenant.identity.partition, id });
  expect(await client.knowledgeBases.documents.get(base.id, id)).toMatchObject({
    status: "READY",
    sizeBytes: bytes.byteLength,
  });
  const chunks = await listChunks(reader(tenant.identity), base.id, id);
  return { name, text: chunks.map(({ text }) => text).join("") };
}

async function* parts() {
  yield bytes.subarray(0, 7);
  yield bytes.subarray(7).slice().buffer;
}

const fileStream = () => Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>;

test.each<[string, () => sdk.FileSource | Promise<sdk.FileSource>]>([
  ["a Blob", () => new Blob([bytes])],
  ["a file opened as a Blob", () => openAsBlob(file)],
  ["an ArrayBuffer", () => bytes.slice().buffer],
  ["a Uint8Array", () => bytes],
  ["a Buffer", () => Buffer.from(content)],
  ["a view of other elements", () => new DataView(bytes.slice().buffer)],
  ["a Node.js stream", () => Readable.from([Buffer.from(content)])],
  ["a Node.js stream of text", () => Readable.from([content.slice(0, 9), content.slice(9)])],
  ["a web stream", fileStream],
  ["an async iterable", parts],
  ["a Response", () => new Response(bytes)],
])("%s is uploaded as the bytes that it holds", async (_what, source) => {
  expect(await storedText({ file: await source(), name: "hours.txt" })).toEqual({
    name: "hours.txt",
    text: content,
  });
});

test("a File and a stream of a file know their name", async () => {
  expect(await storedText({ file: new File([bytes], "a.txt") })).toEqual({
    name: "a.txt",
    text: content,
  });
  expect(await storedText({ file: createReadStream(file) })).toEqual({
    name: "hours.txt",
    text: content,
  });
});

test.each<[string, unknown, RegExp]>([
  ["a path", { file: "hours.txt", name: "hours.txt" }, /not a string.*openAsBlob/],
  ["an object", { file: { path: "hours.txt" }, name: "hours.txt" }, /not object/],
  ["nothing", { file: null, name: "hours.txt" }, /not null/],
  ["undefined", { file: undefined, name: "hours.txt" }, /not undefined/],
  ["a number", { file: 7, name: "hours.txt" }, /not number/],
  [
    "a stream of objects",
    { file: Readable.from([{ text: "a" }]), name: "hours.txt" },
    /bytes or text, not of type object/,
  ],
  ["bytes without a name", { file: bytes }, /has no name/],
  [
    "a response that failed",
    { file: new Response("Not found", { status: 404 }), name: "a.txt" },
    /has status 404/,
  ],
])("%s is refused before anything is sent", async (_what, body, message) => {
  const receiver = await startReceiver();
  const client = new sdk.Parlance(`prl_test_${"k".repeat(40)}`, { baseUrl: receiver.url });
  const uploading = client.knowledgeBases.documents.upload("kb_1", body as sdk.UploadFileBody);
  await expect(uploading).rejects.toThrow(sdk.ParlanceError);
  await expect(uploading).rejects.toThrow(message);
  expect(receiver.requests).toEqual([]);
  await receiver.close();
});

test("an endless stream ends at the largest file that the API accepts", async () => {
  let produced = 0;
  async function* endless() {
    for (;;) {
      produced++;
      yield new Uint8Array(1_024 * 1_024);
    }
  }
  const { client, base } = await newBase();
  await expect(
    client.knowledgeBases.documents.upload(base.id, { file: endless(), name: "endless.txt" }),
  ).rejects.toThrow(/larger than 20 MiB/);
  expect(produced).toBe(21);
});

/** Sources that never produce a byte, and whether they were cancelled. */
const silentSources: [string, () => { source: sdk.FileSource; isCancelled: () => boolean }][] = [
  [
    "a Node.js stream",
    () => {
      const source = new Readable({ read() {} });
      return { source, isCancelled: () => source.destroyed };
    },
  ],
  ["a web stream", () => silentWebStream((stream) => stream)],
  ["a Response", () => silentWebStream((stream) => new Response(stream))],
  [
    "an async iterable",
    () => {
      let isCancelled = false;
      const iterator = {
        next: () => new Promise<never>(() => {}),
        return: () => {
          isCancelled = true;
          return new Promise<never>(() => {});
        },
      };
      const source = { [Symbol.asyncIterator]: () => iterator };
      return { source, isCancelled: () => isCancelled };
    },
  ],
];

function silentWebStream(toSource: (stream: ReadableStream<Uint8Array>) => sdk.FileSource) {
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    cancel() {
      isCancelled = true;
      return new Promise(() => {});
    },
  });
  return { source: toSource(stream), isCancelled: () => isCancelled };
}

test.each(silentSources)("an abort ends the upload of %s that stalls", async (_what, create) => {
  const receiver = await startReceiver();
  const client = new sdk.Parlance(`prl_test_${"k".repeat(40)}`, { baseUrl: receiver.url });
  const reason = new Error("no longer needed");
  for (const isAbortedBefore of [false, true]) {
    const { source, isCancelled } = create();
    const stop = new AbortController();
    if (isAbortedBefore) stop.abort(reason);
    const body = { file: source, name: "a.txt" };
    const uploading = client.files.create(body, { signal: stop.signal });
    if (!isAbortedBefore) setTimeout(() => stop.abort(reason), 20);
    await expect(uploading).rejects.toBe(reason);
    expect(isCancelled()).toBe(true);
  }
  expect(receiver.requests).toEqual([]);
  await receiver.close();
});

test("a stream is sent again completely when the first attempt is lost", async () => {
  const sizes: number[] = [];
  const receiver = await startReceiver((response, { body }) => {
    sizes.push(body.includes(content) ? 1 : 0);
    if (sizes.length === 1) response.destroy();
    else response.writeHead(201, { "Content-Type": "application/json" }).end('{"id":"doc_1"}');
  });
  const client = new sdk.Parlance(`prl_test_${"k".repeat(40)}`, {
    baseUrl: receiver.url,
    wait: async () => {},
  });
  await client.knowledgeBases.documents.upload("kb_1", { file: createReadStream(file) });
  expect(sizes).toEqual([1, 1]);
  await receiver.close();
});

test("files are uploaded from a stream or as text, attached, and read again with a link", async () => {
  const { client } = await newBase();
  const stream = await client.files.create({ file: createReadStream(file) });
  const text = await client.files.create({ name: "note.txt", text: "Hello" });
  expect([stream.name, text.contentType]).toEqual(["hours.txt", "text/plain"]);

  const { id } = await client.conversations.create({ channelId: "web" });
  const attachments = [stream.id, text.id];
  const message = await client.conversations.messages.create(id, { attachments });
  expect(message.attachments.map((each) => each.name)).toEqual(["hours.txt", "note.txt"]);
  const read = await client.files.get(stream.id);
  expect(read).toMatchObject({ messageId: message.id, sizeBytes: bytes.byteLength });
  expect(read.url).toMatch(/\/files\/ten_\w+\/test\/fil_\w+\?expires=\d+&signature=[\w-]{43}$/);

  await expect(client.conversations.messages.create(id, { attachments })).rejects.toMatchObject({
    name: "ConflictError",
    existingId: message.id,
  });
});

test("knowledge is searched in several bases, with the parts around a result", async () => {
  const { tenant, client, base } = await newBase();
  const { id } = await client.knowledgeBases.documents.upload(base.id, {
    name: "a",
    text: content,
  });
  await processDocument({ ...tenant.identity.partition, id });
  const { data } = await client.knowledge.search({
    q: "closed or five",
    knowledgeBaseIds: [base.id],
    match: "any",
    neighbors: 1,
  });
  expect(data).toMatchObject([{ documentId: id, text: content, before: [], after: [] }]);
});
