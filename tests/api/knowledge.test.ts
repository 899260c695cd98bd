import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { GET as downloadFile } from "@/app/files/[tenantId]/[environment]/[fileId]/route";
import { failStuckDocuments, processDocument } from "@/lib/knowledge/documents/process-document";
import { maximumDocumentBytes } from "@/lib/knowledge/documents/schema";
import { removeStrayBlobs } from "@/lib/platform/blobs/service";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { setCurrentTime } from "@/lib/platform/time";
import { baseUrl, call, newKey, newTenant, patiently, send, type TestTenant } from "../support/api";
import { formOf, newKnowledgeBase, processAll, storeEarlier, upload } from "../support/documents";
import { eventsInOrder } from "../support/feed";
import { docxType, pdfOf, png, wordParts, wordXml, zipOf } from "../support/files";

const kind = (name: string) => ({ type: expect.stringMatching(new RegExp(`/errors/${name}$`)) });
const documentsOf = async (tenant: TestTenant, base: string) =>
  (await call(tenant, "GET", `/knowledge-bases/${base}/documents`)).body.data;
const search = async (tenant: TestTenant, base: string, q: string) =>
  (await call(tenant, "GET", `/knowledge-bases/${base}/search?q=${encodeURIComponent(q)}`)).body
    .data;
const eventsOf = async (tenant: TestTenant) =>
  (await eventsInOrder(tenant)).map(({ type }) => type);

/** The files in the store of this test file, and those still being received. */
async function filesOnDisk(part: "kept" | "incoming", tenant?: TestTenant): Promise<string[]> {
  const directory = path.join(env().BLOB_DIRECTORY, part, ...(tenant ? [tenant.tenantId] : []));
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe("knowledge bases", () => {
  test("201 with empty counts, an event, and the same when it is read", async () => {
    const tenant = await newTenant();
    const created = await call(tenant, "POST", "/knowledge-bases", {
      name: "Manuals",
      description: "All of them",
      metadata: { team: "a" },
    });
    expect(created).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^kb_/),
        environment: "test",
        name: "Manuals",
        description: "All of them",
        documentCounts: { pending: 0, processing: 0, ready: 0, failed: 0 },
        sizeBytes: 0,
        metadata: { team: "a" },
      },
    });
    expect((await call(tenant, "GET", `/knowledge-bases/${created.body.id}`)).text).toBe(
      created.text,
    );
    expect((await call(tenant, "GET", "/knowledge-bases")).body).toEqual({ data: [created.body] });
    expect(await eventsOf(tenant)).toEqual(["knowledge_base.created"]);
  });

  test("409 conflict with the existing id for a name that is taken, only in the same environment", async () => {
    const tenant = await newTenant();
    const id = await newKnowledgeBase(tenant);
    expect(await call(tenant, "POST", "/knowledge-bases", { name: "Manuals" })).toMatchObject({
      status: 409,
      body: { ...kind("conflict"), existingId: id },
    });
    expect(
      (
        await call(await newKey(tenant, { environment: "live" }), "POST", "/knowledge-bases", {
          name: "Manuals",
        })
      ).status,
    ).toBe(201);
    expect(
      (await call(await newTenant(), "POST", "/knowledge-bases", { name: "Manuals" })).status,
    ).toBe(201);
  });

  test.each([
    ["no name", {}, "/name", "required"],
    ["a blank name", { name: " " }, "/name", "too_small"],
    ["a read-only field", { name: "a", sizeBytes: 1 }, "/sizeBytes", "read_only"],
    ["an unknown field", { name: "a", kind: 1 }, "/kind", "unknown_field"],
  ])("422 for %s", async (_what, body, pointer, code) => {
    const reply = await call(await newTenant(), "POST", "/knowledge-bases", body);
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: [{ pointer, code, location: "body" }] },
    });
  });

  test("404 for a knowledge base of another tenant or the other environment", async () => {
    const owner = await newTenant();
    const base = await newKnowledgeBase(owner);
    const { body: document } = await upload(owner, base, formOf("Text", "a.txt"));
    const otherBase = await newKnowledgeBase(owner, "Other");
    for (const stranger of [await newTenant(), await newKey(owner, { environment: "live" })]) {
      for (const part of ["", "/documents", `/documents/${document.id}`, "/search?q=Text"]) {
        expect((await call(stranger, "GET", `/knowledge-bases/${base}${part}`)).status).toBe(404);
      }
      expect((await upload(stranger, base, formOf("Text", "a.txt"))).status).toBe(404);
      expect(
        (await call(stranger, "DELETE", `/knowledge-bases/${base}/documents/${document.id}`))
          .status,
      ).toBe(404);
    }
    expect(
      (await call(owner, "GET", `/knowledge-bases/${otherBase}/documents/${document.id}`)).status,
    ).toBe(404);
    expect(
      (await call(owner, "DELETE", `/knowledge-bases/${otherBase}/documents/${document.id}`))
        .status,
    ).toBe(404);
    expect(
      (await call(owner, "GET", `/knowledge-bases/${base}/documents/${document.id}`)).status,
    ).toBe(200);
  });
});

describe("uploading", () => {
  test("201 for a file with name and metadata, stored under a generated name", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const content = "Grüße aus dem Handbuch.";
    const form = formOf(content, "../../etc/passwd.md", { metadata: '{"lang":"de"}' });
    const { status, body } = await upload(tenant, base, form);

    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^doc_/),
        knowledgeBaseId: base,
        name: "passwd.md",
        contentType: "text/markdown",
        sizeBytes: Buffer.byteLength(content),
        sha256: createHash("sha256").update(content).digest("hex"),
        status: "PENDING",
        error: null,
        characterCount: null,
        chunkCount: null,
        metadata: { lang: "de" },
      },
    });
    expect(await filesOnDisk("kept", tenant)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect((await call(tenant, "GET", `/knowledge-bases/${base}`)).body).toMatchObject({
      documentCounts: { pending: 1, processing: 0, ready: 0, failed: 0 },
      sizeBytes: body.sizeBytes,
    });
    expect(
      (await call(tenant, "GET", `/knowledge-bases/${base}/documents/${body.id}`)).body,
    ).toEqual(body);
  });

  test("201 for text as JSON", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const { status, body } = await call(tenant, "POST", `/knowledge-bases/${base}/documents`, {
      name: "Hours",
      text: "Open from nine to five.",
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { name: "Hours", contentType: "text/plain", sizeBytes: 23 },
    });
    await processAll();
    expect(await search(tenant, base, "nine to five")).toMatchObject([
      { documentId: body.id, name: "Hours" },
    ]);
  });

  test.each([
    ["no file", () => new FormData(), "/file", "required"],
    ["a text in the file's place", () => withField("file", "text"), "/file", "invalid_type"],
    ["an unknown field", () => formOf("a", "a.txt", { kind: "x" }), "/kind", "unknown_field"],
    ["a read-only field", () => formOf("a", "a.txt", { status: "READY" }), "/status", "read_only"],
    [
      "metadata that is not JSON",
      () => formOf("a", "a.txt", { metadata: "{" }),
      "/metadata",
      "invalid_type",
    ],
    [
      "metadata with a NUL",
      () => formOf("a", "a.txt", { metadata: '{"a":"\\u0000"}' }),
      "/metadata/a",
      "invalid_characters",
    ],
    ["a blank name", () => formOf("a", "a.txt", { name: " " }), "/name", "too_small"],
    [
      "a name that is too long",
      () => formOf("a", "a.txt", { name: "x".repeat(256) }),
      "/name",
      "too_big",
    ],
    [
      "a file name that is too long",
      () => formOf("a", `${"x".repeat(255)}.txt`),
      "/name",
      "too_big",
    ],
  ])("422 for %s, and nothing is stored", async (_what, makeForm, pointer, code) => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const form = makeForm();
    if ([...form].length === 0) form.append("name", "x");
    const reply = await upload(tenant, base, form);
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: [{ pointer, code, location: "body" }] },
    });
    expect(await documentsOf(tenant, base)).toEqual([]);
    expect(await filesOnDisk("kept", tenant)).toEqual([]);
  });

  test("415 says which ending of the name the content does not match", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const { body } = await upload(tenant, base, formOf("Only text", "paper.PDF"));
    expect(body.detail).toMatch(
      /\. The name of this file ends in \.PDF, but its content is plain text\.$/,
    );
  });

  test.each([
    ["a PNG named .txt", png, "notes.txt"],
    ["text with a NUL", "a\0b", "notes.txt"],
    ["text in another encoding", Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]), "notes.txt"],
    ["text named .pdf", "Only text", "paper.pdf"],
    ["text named .docx", "Only text", "paper.docx"],
    ["an archive that is not a Word document", zipOf({ "a.txt": "a" }), "a.zip"],
    ["a plain archive named .docx", zipOf({ "a.txt": "a" }), "a.docx"],
    ["a workbook named .docx", zipOf({ ...wordParts, "xl/workbook.xml": "<workbook/>" }), "a.docx"],
  ])("415 for %s", async (_what, content, name) => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    expect(await upload(tenant, base, formOf(content, name))).toMatchObject({
      status: 415,
      body: kind("unsupported-media-type"),
    });
    expect(await filesOnDisk("kept", tenant)).toEqual([]);
  });

  test.each([
    ["a PDF named .txt", pdfOf(["Text"]), "a.txt", "application/pdf"],
    [
      "a Word document without an ending",
      zipOf({ ...wordParts, "word/document.xml": wordXml("Text") }),
      "report",
      docxType,
    ],
    ["HTML named .txt", "<!DOCTYPE html><p>Text</p>", "a.txt", "text/html"],
    ["CSV", "a,b\n1,2", "a.CSV", "text/csv"],
    ["JSON", "{}", "a.json", "application/json"],
    ["text of some other name", "level=info", "app.log", "text/plain"],
    ["a name that ends like a member of objects", "text", "a.constructor", "text/plain"],
  ])("201 with the type of its content for %s", async (_what, content, name, contentType) => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    expect(await upload(tenant, base, formOf(content, name))).toMatchObject({
      status: 201,
      body: { contentType, name },
    });
  });

  test("413 above 20 MiB, with and without a declared length, and nothing is stored", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const tooLarge = formOf(Buffer.alloc(maximumDocumentBytes + 1, "a"), "a.txt");
    expect(await upload(tenant, base, tooLarge)).toMatchObject({
      status: 413,
      body: kind("payload-too-large"),
    });

    const farTooLarge = formOf(Buffer.alloc(2 * maximumDocumentBytes, "a"), "a.txt");
    expect(await upload(tenant, base, farTooLarge)).toMatchObject({
      status: 413,
      body: kind("payload-too-large"),
    });

    const reply = await rawUpload(tenant, base, { chunks: 340, chunk: "a".repeat(64 * 1_024) });
    expect(reply).toMatch(/^HTTP\/1.1 413 /);
    expect(await filesOnDisk("incoming")).toEqual([]);
    expect(await filesOnDisk("kept", tenant)).toEqual([]);
  });

  test("403 before the body is read", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const reader = await newKey(tenant, { scopes: ["read:knowledge"] });
    // It never sends the body it has announced.
    expect(await rawUpload(reader, base, { chunks: 0, chunk: "" })).toMatch(/^HTTP\/1.1 403 /);
  });

  test("400 for a form that ends too early, and 415 for another media type", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const post = (contentType: string, body: string) =>
      send(`/v1/public/knowledge-bases/${base}/documents`, {
        method: "POST",
        headers: { authorization: `Bearer ${tenant.key}`, "content-type": contentType },
        body,
      });
    const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nText';
    expect(await post("multipart/form-data; boundary=x", part)).toMatchObject({
      status: 400,
      body: kind("malformed-request"),
    });
    expect(await post("multipart/form-data; charset=utf-8", part)).toMatchObject({
      status: 400,
      body: kind("malformed-request"),
    });
    expect(await post("text/plain", "Text")).toMatchObject({
      status: 415,
      body: kind("unsupported-media-type"),
    });
    expect(await filesOnDisk("incoming")).toEqual([]);
  });

  test("an aborted upload leaves no file and no row", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const socket = startRawUpload(tenant, base);
    const chunk = "a".repeat(64 * 1_024);
    for (let sent = 0; sent < 32; sent++)
      socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    await expect.poll(() => filesOnDisk("incoming")).toHaveLength(1);

    socket.destroy();

    await expect.poll(() => filesOnDisk("incoming")).toHaveLength(0);
    expect(await documentsOf(tenant, base)).toEqual([]);
    expect(await filesOnDisk("kept", tenant)).toEqual([]);
    expect(await db().strayBlob.count({ where: { tenantId: tenant.tenantId } })).toBe(0);
  });

  test("409 conflict with the existing id for the same bytes in the same base, and their second copy is removed", async () => {
    const tenant = await newTenant();
    const [base, other] = [await newKnowledgeBase(tenant), await newKnowledgeBase(tenant, "Other")];
    const { body: first } = await upload(tenant, base, formOf("Text", "a.txt"));

    expect(await upload(tenant, base, formOf("Text", "b.txt"))).toMatchObject({
      status: 409,
      body: { ...kind("conflict"), existingId: first.id },
    });
    expect((await upload(tenant, other, formOf("Text", "a.txt"))).status).toBe(201);

    await removeStrayBlobs(100);
    expect(await filesOnDisk("kept", tenant)).toHaveLength(2);
    expect(await filesOnDisk("incoming")).toEqual([]);
  });

  test("409 limit-reached once the environment stores as many bytes as its plan has, also when uploads come concurrently", async () => {
    const tenant = await newTenant();
    const limit = 1_000_000_000;
    const [full, other] = [await newKnowledgeBase(tenant), await newKnowledgeBase(tenant, "Other")];
    await storeEarlier(tenant.identity.partition, limit - 25);

    // Ten bytes each, into two bases: there is room for two.
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        upload(tenant, index % 2 ? full : other, formOf(`text no. ${index}`, "a.txt")),
      ),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(2);
    for (const { status, body } of replies) {
      if (status !== 201)
        expect([status, body]).toEqual([
          409,
          expect.objectContaining({ ...kind("limit-reached"), limit, current: limit - 5 }),
        ]);
    }
    await removeStrayBlobs(100);
    expect(await filesOnDisk("kept", tenant)).toHaveLength(2);
    expect(await upload(tenant, other, formOf("12345", "b.txt"))).toMatchObject({ status: 201 });
    const text = await call(tenant, "POST", `/knowledge-bases/${other}/documents`, {
      name: "c",
      text: "1",
    });
    expect(text).toMatchObject({
      status: 409,
      body: { ...kind("limit-reached"), limit, current: limit },
    });

    const live = await newKey(tenant, { environment: "live" });
    expect(await upload(live, await newKnowledgeBase(live), formOf("text", "a.txt"))).toMatchObject(
      { status: 201 },
    );
    await db().tenant.update({ where: { id: tenant.tenantId }, data: { plan: "PRO" } });
    expect(await upload(tenant, other, formOf("more", "d.txt"))).toMatchObject({ status: 201 });
  });

  test("201 for one of eight equal concurrent uploads, 409 for the other seven", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => upload(tenant, base, formOf("Text", "a.txt"))),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    const [document, ...others] = await documentsOf(tenant, base);
    expect(others).toEqual([]);
    for (const { status, body } of replies)
      if (status === 409) expect(body.existingId).toBe(document.id);
    expect((await call(tenant, "GET", `/knowledge-bases/${base}`)).body).toMatchObject({
      documentCounts: { pending: 1 },
      sizeBytes: 4,
    });
    await removeStrayBlobs(100);
    expect(await filesOnDisk("kept", tenant)).toHaveLength(1);
  });

  test("lists page through bases and documents, each once", async () => {
    const tenant = await newTenant();
    const bases = [];
    for (let number = 0; number < 7; number++)
      bases.push(await newKnowledgeBase(tenant, `Base ${number}`));
    const url = `/knowledge-bases/${bases[0]}/documents`;
    const documents = [];
    for (let number = 0; number < 7; number++)
      documents.push(
        (await call(tenant, "POST", url, { name: "n", text: `Text ${number}` })).body.id,
      );

    for (const [path, ids] of [
      ["/knowledge-bases", bases],
      [url, documents],
    ] as const) {
      const first = (await call(tenant, "GET", `${path}?limit=3&order=asc`)).body;
      const second = (
        await call(tenant, "GET", `${path}?limit=4&order=asc&cursor=${first.nextCursor}`)
      ).body;
      expect(second.nextCursor).toBeUndefined();
      expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
      expect(
        (await call(tenant, "GET", path)).body.data.map(({ id }: { id: string }) => id),
      ).toEqual(ids.toReversed());
    }
    expect(await call(tenant, "GET", `${url}?cursor=${bases[0]}`)).toMatchObject({
      status: 422,
      body: kind("invalid-cursor"),
    });
    expect((await call(tenant, "GET", `${url}?status=DONE`)).status).toBe(422);
  });

  test("the same upload with one Idempotency-Key creates one document, with any boundary", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const key = { "idempotency-key": "k" };
    const fields = { name: "A", metadata: '{"a":1}' };

    const request = () => upload(tenant, base, formOf("Text", "a.txt", fields), key);
    const replies = await Promise.all(Array.from({ length: 5 }, () => patiently(request)));

    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(
      replies.filter(({ headers }) => headers.get("idempotent-replayed") === "true"),
    ).toHaveLength(4);
    for (const other of [
      formOf("Other", "a.txt", fields),
      formOf("Text", "a.txt", { ...fields, name: "B" }),
      formOf("Text", "b.txt", fields),
    ]) {
      expect(await upload(tenant, base, other, key)).toMatchObject({
        status: 422,
        body: kind("idempotency-key-reused"),
      });
    }
    expect(await documentsOf(tenant, base)).toHaveLength(1);
    await removeStrayBlobs(100);
    expect(await filesOnDisk("kept", tenant)).toHaveLength(1);
    expect(
      (await eventsOf(tenant)).filter((type: string) => type === "document.created"),
    ).toHaveLength(1);
  });
});

describe("processing", () => {
  const sentence = "The quick brown fox jumps over the lazy dog.";
  const bomb = Buffer.alloc(30 * 1_024 ** 2, " ");

  test.each([
    ["a text file", `${sentence}\n`, "a.txt"],
    ["Markdown", `# Foxes\n\n${sentence}`, "a.md"],
    [
      "HTML",
      `<html><head><style>.x{}</style></head><body><p>The quick <b>brown</b> fox jumps over the lazy dog.</p></body></html>`,
      "a.html",
    ],
    ["CSV", `id,text\n1,"${sentence}"`, "a.csv"],
    ["JSON", JSON.stringify({ text: sentence }), "a.json"],
    ["a PDF", pdfOf(["First page.", sentence]), "a.pdf"],
    [
      "a Word document",
      zipOf({ ...wordParts, "word/document.xml": wordXml("Foxes", sentence) }),
      "a.docx",
    ],
  ])("%s becomes READY, and a sentence of it is found", async (_what, content, name) => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const { body: document } = await upload(tenant, base, formOf(content, name));
    expect(await search(tenant, base, "fox")).toEqual([]);

    await processAll();

    const { body } = await call(tenant, "GET", `/knowledge-bases/${base}/documents/${document.id}`);
    expect(body).toMatchObject({ status: "READY", error: null, chunkCount: 1 });
    expect(body.characterCount).toBeGreaterThanOrEqual(sentence.length);
    const [hit, ...others] = await search(tenant, base, '"quick brown fox" dog');
    expect(others).toEqual([]);
    expect(hit).toMatchObject({ documentId: document.id, name });
    expect(hit.text).toContain("quick brown fox jumps");
    expect(hit.ranges.map(([start, end]: [number, number]) => hit.text.slice(start, end))).toEqual([
      "quick",
      "brown",
      "fox",
      "dog",
    ]);
    expect(hit.score).toBeGreaterThan(0);
    expect(await eventsOf(tenant)).toEqual([
      "knowledge_base.created",
      "document.created",
      "document.ready",
    ]);
    expect((await call(tenant, "GET", `/knowledge-bases/${base}`)).body.documentCounts).toEqual({
      pending: 0,
      processing: 0,
      ready: 1,
      failed: 0,
    });
  });

  test.each([
    ["an empty file", "", "a.txt", "empty"],
    ["an empty PDF", "", "a.pdf", "empty"],
    ["nothing but blank space", " \n\t\n", "a.txt", "empty"],
    ["a PDF without text", pdfOf([""]), "a.pdf", "empty"],
    ["a PDF with a password", pdfOf([sentence], { isEncrypted: true }), "a.pdf", "encrypted"],
    ["a damaged PDF", "%PDF-1.4\nnothing more", "a.pdf", "invalid_file"],
    [
      "a damaged Word document",
      Buffer.from("PK\u0003\u0004 and nothing more"),
      "a.docx",
      "invalid_file",
    ],
    ["a Word document that Word has encrypted", encryptedPackage(), "a.docx", "encrypted"],
    ["JSON that is none", "{", "a.json", "invalid_file"],
    ["a Word document with 42 parts of blank space", bombOf(42), "a.docx", "too_large"],
    [
      "a Word document that lies about its size",
      zipOf({ ...wordParts, "word/document.xml": bomb }, { "word/document.xml": 1_000 }),
      "a.docx",
      "invalid_file",
    ],
    [
      "a Word document with 1,001 parts",
      zipOf({
        ...Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`word/${i}.xml`, ""])),
        "word/document.xml": "",
      }),
      "a.docx",
      "too_large",
    ],
  ])("%s becomes FAILED with its reason", async (_what, content, name, code) => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const { status, body: document } = await upload(tenant, base, formOf(content, name));
    expect(status).toBe(201);

    await processAll();

    const { body } = await call(tenant, "GET", `/knowledge-bases/${base}/documents/${document.id}`);
    expect(body).toMatchObject({
      status: "FAILED",
      error: { code, message: expect.stringMatching(/\.$/) },
      chunkCount: null,
    });
    expect(await eventsOf(tenant)).toEqual([
      "knowledge_base.created",
      "document.created",
      "document.failed",
    ]);
    expect(
      (await call(tenant, "GET", `/knowledge-bases/${base}/documents?status=FAILED,PENDING`)).body
        .data,
    ).toEqual([body]);
    expect(
      (await call(tenant, "GET", `/knowledge-bases/${base}/documents?status=READY`)).body.data,
    ).toEqual([]);
  });

  test("a PDF of 20 MiB becomes READY", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const content = pdfOf([sentence], { sizeBytes: maximumDocumentBytes });
    expect(content).toHaveLength(maximumDocumentBytes);
    const { status, body } = await upload(tenant, base, formOf(content, "large.pdf"));
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { sizeBytes: maximumDocumentBytes, contentType: "application/pdf" },
    });
    await processAll();
    expect(await search(tenant, base, "lazy dog")).toMatchObject([{ documentId: body.id }]);
  });

  test("a text of many chunks is found by a sentence from its middle", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const sentences = Array.from(
      { length: 20_000 },
      (_, i) => `Sentence number${i} speaks of topic${i % 97}.`,
    );
    const { body: document } = await upload(tenant, base, formOf(sentences.join(" "), "long.txt"));
    await processAll();
    const { body } = await call(tenant, "GET", `/knowledge-bases/${base}/documents/${document.id}`);
    expect(body.chunkCount).toBeGreaterThan(700);
    expect(await search(tenant, base, '"number12345 speaks of topic26"')).toMatchObject([
      { documentId: document.id },
    ]);
  });

  test("two concurrent workers process each document once", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const documents = await Promise.all(
      [1, 2, 3].map((n) => upload(tenant, base, formOf(`Text ${n}`, `${n}.txt`))),
    );
    const references = documents.map(({ body }) => ({
      ...tenant.identity.partition,
      id: body.id as string,
    }));
    const done = await Promise.all(
      [...references, ...references].map((reference) => processDocument(reference)),
    );
    expect(done.filter(Boolean)).toHaveLength(3);
    expect(
      (await eventsOf(tenant)).filter((type: string) => type === "document.ready"),
    ).toHaveLength(3);
    expect((await call(tenant, "GET", `/knowledge-bases/${base}`)).body.documentCounts).toEqual({
      pending: 0,
      processing: 0,
      ready: 3,
      failed: 0,
    });
  });

  test("a document of a killed process is processed when its lease ends, and not before", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const { body: document } = await upload(tenant, base, formOf(sentence, "a.txt"));
    const reference = { ...tenant.identity.partition, id: document.id };
    await leftBehind(reference, base);

    expect(await processDocument(reference)).toBe(false);
    setCurrentTime(() => new Date(Date.now() + 130_000));
    try {
      expect(await processDocument(reference)).toBe(true);
    } finally {
      setCurrentTime(null);
    }
    expect(await search(tenant, base, "fox")).toMatchObject([{ documentId: document.id }]);
    expect(await search(tenant, base, "leftover")).toEqual([]);
  });

  test("FAILED timeout after 15 minutes, and retried it becomes READY", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const { body: document } = await upload(tenant, base, formOf(sentence, "a.txt"));
    const reference = { ...tenant.identity.partition, id: document.id };
    await leftBehind(reference, base);
    const read = async () =>
      (await call(tenant, "GET", `/knowledge-bases/${base}/documents/${document.id}`)).body;

    for (const [minutes, status] of [
      [14, "PROCESSING"],
      [15.1, "FAILED"],
    ] as const) {
      setCurrentTime(() => new Date(Date.now() + minutes * 60_000));
      await failStuckDocuments(100).finally(() => setCurrentTime(null));
      expect((await read()).status).toBe(status);
    }
    expect((await read()).error.code).toBe("timeout");

    const retry = () =>
      call(tenant, "POST", `/knowledge-bases/${base}/documents/${document.id}/retry`);
    const waiting = { status: 202, body: { status: "PENDING", error: null } };
    expect(await retry()).toMatchObject(waiting);
    expect(await retry()).toMatchObject(waiting);
    await processAll();
    expect(await read()).toMatchObject({ status: "READY" });
    expect(await retry()).toMatchObject({ status: 409, body: kind("invalid-transition") });
    expect(await eventsOf(tenant)).toEqual([
      "knowledge_base.created",
      "document.created",
      "document.failed",
      "document.updated",
      "document.ready",
    ]);
    const audited = await db().auditEntry.findMany({
      where: { tenantId: tenant.tenantId, targetId: { in: [base, document.id] } },
    });
    expect(audited.map(({ action }) => action).toSorted()).toEqual([
      "document.created",
      "document.retried",
      "knowledge_base.created",
    ]);
    expect((await call(tenant, "GET", `/knowledge-bases/${base}`)).body.documentCounts).toEqual({
      pending: 0,
      processing: 0,
      ready: 1,
      failed: 0,
    });
  });
});

describe("searching", () => {
  test("200 with plain text and the positions of what matches; only the HTML form is escaped", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    await upload(tenant, base, formOf('Beware of 5 < 6 & "quotes" around the needle.', "a.txt"));
    await processAll();
    const [{ text, ranges, excerpt }] = await search(tenant, base, "needle or beware");
    expect(text).toBe('Beware of 5 < 6 & "quotes" around the needle');
    expect(ranges.map(([start, end]: [number, number]) => text.slice(start, end))).toEqual([
      "Beware",
      "needle",
    ]);
    expect(excerpt).toBe(
      "<mark>Beware</mark> of 5 &lt; 6 &amp; &quot;quotes&quot; around the <mark>needle</mark>",
    );
  });

  test("the best document comes first, each document once, and no other base's", async () => {
    const tenant = await newTenant();
    const [base, other] = [await newKnowledgeBase(tenant), await newKnowledgeBase(tenant, "Other")];
    await upload(tenant, base, formOf("A needle in much hay. ".padEnd(600, "hay "), "once.txt"));
    await upload(tenant, base, formOf("needle needle needle ".repeat(200), "often.txt"));
    await upload(tenant, other, formOf("needle", "elsewhere.txt"));
    await processAll();

    const hits = await search(tenant, base, "NEEDLE");
    expect(hits.map(({ name }: { name: string }) => name)).toEqual(["often.txt", "once.txt"]);
    expect(
      (await call(tenant, "GET", `/knowledge-bases/${base}/search?q=needle&limit=1`)).body.data,
    ).toEqual([hits[0]]);
    expect(await search(tenant, base, "needle -hay")).toMatchObject([{ name: "often.txt" }]);
    expect(await search(tenant, base, "nothing or hay")).toMatchObject([{ name: "once.txt" }]);
    expect(await search(tenant, base, base)).toEqual([]);
  });

  test.each(["!!!", "&|!()", "'", "a:*", "\\", '"'])("200 for %j", async (q) => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    await upload(tenant, base, formOf("Text", "a.txt"));
    await processAll();
    expect(await search(tenant, base, q)).toEqual([]);
  });

  test("200 with a limit larger than any integer, as in lists", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    for (const limit of ["51", "9999999999", "9".repeat(400)]) {
      expect(
        (await call(tenant, "GET", `/knowledge-bases/${base}/search?q=a&limit=${limit}`)).status,
      ).toBe(200);
      expect((await call(tenant, "GET", `/customers?limit=${limit}`)).status).toBe(200);
    }
  });

  test.each(["", "?q=", "?q=a&limit=0", `?q=${"a".repeat(501)}`, "?q=a&cursor=1", "?q=a%00"])(
    "422 for search%s",
    async (query) => {
      const tenant = await newTenant();
      const base = await newKnowledgeBase(tenant);
      expect((await call(tenant, "GET", `/knowledge-bases/${base}/search${query}`)).status).toBe(
        422,
      );
    },
  );
});

describe("changing", () => {
  const documentIn = async (tenant: TestTenant, text = "The old fox.", fileName = "a.txt") => {
    const base = await newKnowledgeBase(tenant);
    const { body } = await upload(tenant, base, formOf(text, fileName));
    await processAll();
    return { base, id: body.id as string, url: `/knowledge-bases/${base}/documents/${body.id}` };
  };
  const sendForm = (
    tenant: TestTenant,
    method: "PUT",
    path: string,
    form: FormData,
    headers = {},
  ) =>
    send(`/v1/public${path}`, {
      method,
      headers: { authorization: `Bearer ${tenant.key}`, ...headers },
      body: form,
    });
  const replace = (tenant: TestTenant, url: string, form: FormData, headers = {}) =>
    sendForm(tenant, "PUT", url, form, headers);
  const names = (hits: { name: string }[]) => hits.map(({ name }) => name);

  test("200 renames a document and merges its metadata, with one event, and none for the same values", async () => {
    const tenant = await newTenant();
    const { base, id, url } = await documentIn(tenant);
    const patch = { name: "New name.txt", metadata: { team: "a" } };
    const renamed = await call(tenant, "PATCH", `/knowledge-bases/${base}/documents/${id}`, patch);
    expect(renamed).toMatchObject({ status: 200, body: { ...patch, status: "READY" } });
    expect((await call(tenant, "PATCH", url, patch)).text).toBe(renamed.text);
    expect((await eventsInOrder(tenant)).at(-1)).toMatchObject({
      type: "document.updated",
      data: { object: renamed.body, previousAttributes: { name: "a.txt", metadata: {} } },
    });
    expect((await eventsOf(tenant)).filter((name) => name === "document.updated")).toHaveLength(1);
  });

  test("200 renames a knowledge base, 409 with existingId for a name that another one has", async () => {
    const tenant = await newTenant();
    const [base, other] = [await newKnowledgeBase(tenant), await newKnowledgeBase(tenant, "Other")];
    const url = `/knowledge-bases/${base}`;
    expect(
      await call(tenant, "PATCH", `/knowledge-bases/${base}`, {
        name: "Guides",
        description: "For agents",
      }),
    ).toMatchObject({ status: 200, body: { name: "Guides", description: "For agents" } });
    expect(await call(tenant, "PATCH", url, { name: "Other" })).toMatchObject({
      status: 409,
      body: { ...kind("conflict"), existingId: other },
    });
    expect(await call(tenant, "PATCH", url, { language: "de" })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/language" }] },
    });
    expect((await eventsOf(tenant)).slice(-1)).toEqual(["knowledge_base.updated"]);
  });

  test("a replaced document keeps its id, and its old text is found until the new one is READY", async () => {
    const tenant = await newTenant();
    const { base, id } = await documentIn(tenant);

    const replaced = await sendForm(
      tenant,
      "PUT",
      `/knowledge-bases/${base}/documents/${id}`,
      formOf("The new hare.", "b.txt"),
    );
    expect(replaced).toMatchObject({
      status: 200,
      body: { id, name: "b.txt", status: "PENDING", sizeBytes: 13, chunkCount: 1 },
    });
    expect(names(await search(tenant, base, "fox"))).toEqual(["b.txt"]);
    await processAll();

    expect(await search(tenant, base, "fox")).toEqual([]);
    expect(await search(tenant, base, "hare")).toMatchObject([{ documentId: id }]);
    const { body: several } = await call(tenant, "POST", "/knowledge/search", {
      q: "hare",
      knowledgeBaseIds: [base],
      neighbors: 5,
    });
    expect(several.data).toMatchObject([{ position: 0, before: [], after: [] }]);
    expect((await call(tenant, "GET", `/knowledge-bases/${base}`)).body).toMatchObject({
      documentCounts: { pending: 0, processing: 0, ready: 1, failed: 0 },
      sizeBytes: 13,
    });
    expect((await eventsOf(tenant)).slice(-2)).toEqual(["document.updated", "document.ready"]);
    await removeStrayBlobs(100);
    expect(await filesOnDisk("kept", tenant)).toHaveLength(1);
    expect(await db().documentChunk.count({ where: { documentId: id } })).toBe(1);
  });

  test("a replacement that cannot be read is FAILED with the reason, and the old text is still found", async () => {
    const tenant = await newTenant();
    const { base, url } = await documentIn(tenant);
    await replace(tenant, url, formOf(" ", "b.txt"));
    await processAll();
    expect((await call(tenant, "GET", url)).body).toMatchObject({
      status: "FAILED",
      error: { code: "empty" },
      chunkCount: 1,
    });
    expect(await search(tenant, base, "fox")).toHaveLength(1);

    await replace(tenant, url, formOf("The new hare.", "b.txt"));
    await processAll();
    expect(await search(tenant, base, "fox")).toEqual([]);
    expect(await search(tenant, base, "hare")).toHaveLength(1);
  });

  test("a process that is still reading the earlier file publishes nothing", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const { body: document } = await upload(tenant, base, formOf("The old fox.", "a.txt"));
    const url = `/knowledge-bases/${base}/documents/${document.id}`;
    const reference = { ...tenant.identity.partition, id: document.id };
    const reading = processDocument(reference);
    await replace(tenant, url, formOf("The new hare.", "b.txt"));
    await reading;
    await processAll();
    expect((await call(tenant, "GET", url)).body).toMatchObject({ status: "READY", name: "b.txt" });
    expect(await search(tenant, base, "fox")).toEqual([]);
    expect(await search(tenant, base, "hare")).toHaveLength(1);
  });

  test("a document that is replaced several times while it waits is counted once", async () => {
    const tenant = await newTenant();
    const { base, url } = await documentIn(tenant);
    for (const text of ["One", "Two", "Three"]) await replace(tenant, url, formOf(text, "b.txt"));
    const counts = async () =>
      (await call(tenant, "GET", `/knowledge-bases/${base}`)).body.documentCounts;
    expect(await counts()).toEqual({ pending: 1, processing: 0, ready: 0, failed: 0 });
    await Promise.all(
      ["Four", "Five", "Six"].map((text) => replace(tenant, url, formOf(text, "b.txt"))),
    );
    await processAll();
    expect(await counts()).toEqual({ pending: 0, processing: 0, ready: 1, failed: 0 });
    await call(tenant, "DELETE", url);
    expect(await counts()).toEqual({ pending: 0, processing: 0, ready: 0, failed: 0 });
  });

  test("200 in an environment over its quota unless the replacement is larger, then 409 limit-reached", async () => {
    const tenant = await newTenant();
    const { url } = await documentIn(tenant, "The old fox.");
    await storeEarlier(tenant.identity.partition, 1_000_000_000);
    for (const [text, expected] of [
      ["The new hare.", { status: 409, body: kind("limit-reached") }],
      ["The new fox.", { status: 200, body: { sizeBytes: 12 } }],
      ["A fox.", { status: 200, body: { sizeBytes: 6 } }],
    ] as const)
      expect(await replace(tenant, url, formOf(text, "a.txt"))).toMatchObject(expected);
  });

  test("409 for bytes that another document has; the document's own bytes change nothing", async () => {
    const tenant = await newTenant();
    const { base, url } = await documentIn(tenant);
    const { body: other } = await upload(tenant, base, formOf("Other", "o.txt"));
    expect(await replace(tenant, url, formOf("Other", "b.txt"))).toMatchObject({
      status: 409,
      body: { ...kind("conflict"), existingId: other.id },
    });
    const before = (await call(tenant, "GET", url)).text;
    expect(await replace(tenant, url, formOf("The old fox.", "a.txt"))).toMatchObject({
      status: 200,
      body: { status: "READY" },
    });
    expect((await call(tenant, "GET", url)).text).toBe(before);
    await removeStrayBlobs(100);
    expect(await filesOnDisk("kept", tenant)).toHaveLength(2);
  });

  test("one replacement with the same idempotency key, 412 with the ETag of an earlier version", async () => {
    const tenant = await newTenant();
    const { url } = await documentIn(tenant);
    const etag = String((await call(tenant, "GET", url)).headers.get("etag"));
    const headers = { "idempotency-key": "replace", "if-match": etag };
    const first = await replace(tenant, url, formOf("New", "b.txt"), headers);
    const second = await replace(tenant, url, formOf("New", "b.txt"), headers);
    expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
    const late = await replace(tenant, url, formOf("Newer", "b.txt"), { "if-match": etag });
    expect(late).toMatchObject({ status: 412, body: kind("precondition-failed") });
  });

  test("a link downloads the file as it was uploaded, for 5 minutes, and never as a page", async () => {
    const tenant = await newTenant();
    const { url: path } = await documentIn(tenant, "<p>The old fox.</p>", "a.html");
    const { body } = await call(tenant, "GET", `${path}/file`);
    expect(body).toMatchObject({ name: "a.html", contentType: "text/html", sizeBytes: 19 });
    const request = new Request(body.url);
    const [, , tenantId = "", environment = "", fileId = ""] = new URL(body.url).pathname.split(
      "/",
    );
    const params = Promise.resolve({ tenantId, environment, fileId });
    const file = await downloadFile(request, { params });
    expect(file.status).toBe(200);
    expect(file.headers.get("content-type")).toBe("application/octet-stream");
    expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename="a.html"/);
    expect(await file.text()).toBe("<p>The old fox.</p>");

    setCurrentTime(() => new Date(Date.now() + 301_000));
    const late = await downloadFile(request, { params }).finally(() => setCurrentTime(null));
    expect(late.status).not.toBe(200);
    await call(tenant, "DELETE", path);
    expect((await downloadFile(request, { params })).status).toBe(404);
  });
});

test("deleting a document deletes its text and, after the commit, its file", async () => {
  const tenant = await newTenant();
  const base = await newKnowledgeBase(tenant);
  const { body: document } = await upload(tenant, base, formOf("Some needle.", "a.txt"));
  await processAll();
  const url = `/knowledge-bases/${base}/documents/${document.id}`;

  expect(await call(tenant, "DELETE", url)).toMatchObject({
    status: 200,
    body: { id: document.id, deleted: true },
  });

  expect((await call(tenant, "GET", url)).status).toBe(404);
  expect((await call(tenant, "DELETE", url)).status).toBe(404);
  expect(await search(tenant, base, "needle")).toEqual([]);
  expect(await filesOnDisk("kept", tenant)).toHaveLength(1);
  await removeStrayBlobs(100);
  expect(await filesOnDisk("kept", tenant)).toEqual([]);
  expect((await call(tenant, "GET", `/knowledge-bases/${base}`)).body).toMatchObject({
    documentCounts: { pending: 0, processing: 0, ready: 0, failed: 0 },
    sizeBytes: 0,
  });
  expect((await eventsOf(tenant)).slice(-2)).toEqual(["document.ready", "document.deleted"]);
  expect((await upload(tenant, base, formOf("Some needle.", "a.txt"))).status).toBe(201);
});

function withField(name: string, value: string): FormData {
  const form = new FormData();
  form.append(name, value);
  return form;
}

/** 42 parts of 30 MiB each, in an archive of about a megabyte. */
function bombOf(parts: number): Buffer {
  const blank = Buffer.alloc(30 * 1_024 ** 2, " ");
  const names = Array.from({ length: parts - 3 }, (_, index) => `word/part${index}.xml`);
  return zipOf({
    ...wordParts,
    "word/document.xml": blank,
    ...Object.fromEntries(names.map((name) => [name, blank])),
  });
}

/** What is left of Word's container of an encrypted document when only its first sector counts. */
function encryptedPackage(): Buffer {
  const signature = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  return Buffer.concat([
    signature,
    Buffer.alloc(504),
    Buffer.from("EncryptedPackage", "utf16le"),
    Buffer.alloc(512),
  ]);
}

/** The state of a document whose process was killed while it wrote chunks. */
async function leftBehind(
  { tenantId, environment, id }: { tenantId: string; environment: "live" | "test"; id: string },
  knowledgeBaseId: string,
) {
  const now = new Date();
  const lease = {
    status: "PROCESSING" as const,
    leaseHolder: "gone",
    leaseExpiresAt: new Date(now.getTime() + 120_000),
    startedAt: now,
  };
  await db().document.updateMany({ where: { id }, data: lease });
  await db().knowledgeBase.updateMany({
    where: { id: knowledgeBaseId },
    data: { pendingCount: 0, processingCount: 1 },
  });
  await db().documentChunk.create({
    data: { tenantId, environment, documentId: id, position: 0, knowledgeBaseId, text: "leftover" },
  });
}

/** The head of a chunked upload, and of the part that contains the file. */
function startRawUpload({ key }: Pick<TestTenant, "key">, base: string) {
  const { hostname, port } = new URL(baseUrl());
  const socket = connect(Number(port), hostname);
  const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
  const headers = [
    `POST /v1/public/knowledge-bases/${base}/documents HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${key}`,
    "Content-Type: multipart/form-data; boundary=x",
    "Transfer-Encoding: chunked",
  ];
  socket.on("error", () => {});
  socket.write(`${headers.join("\r\n")}\r\n\r\n${part.length.toString(16)}\r\n${part}\r\n`);
  return socket;
}

async function rawUpload(
  tenant: Pick<TestTenant, "key">,
  base: string,
  { chunks, chunk }: { chunks: number; chunk: string },
): Promise<string> {
  const socket = startRawUpload(tenant, base);
  const answer = new Promise<string>((resolve) =>
    socket.once("data", (data) => resolve(data.toString())),
  );
  for (let sent = 0; sent < chunks; sent++)
    socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  return answer.finally(() => socket.destroy());
}
