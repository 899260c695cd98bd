import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { Readable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { GET } from "@/app/files/[tenantId]/[environment]/[fileId]/route";
import { workOffDeletions } from "@/lib/deletions/work-off-deletions";
import { deleteFilesOfMessages, lockFilesToAttach } from "@/lib/files/service";
import { receiveFile } from "@/lib/platform/blobs/incoming-file";
import { removeStrayBlobs, storeBlob } from "@/lib/platform/blobs/service";
import { mutate, reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { setCurrentTime } from "@/lib/platform/time";
import { newId } from "@/lib/resources/ids";
import { purgeExpired } from "@/lib/retention/purge-expired";
import { storedBytes } from "@/lib/storage/stored-bytes";
import { baseUrl, call, newKey, newTenant, patiently, send, type TestTenant } from "../support/api";
import { formOf, newKnowledgeBase, storeEarlier, upload, uploadFile } from "../support/documents";
import { eventsInOrder } from "../support/feed";
import { type Content, docxType, pdfOf, png, wordParts, wordXml, zipOf } from "../support/files";

afterEach(() => setCurrentTime(null));

const kind = (name: string) => ({ type: expect.stringMatching(new RegExp(`/errors/${name}$`)) });

const newFile = async (tenant: Pick<TestTenant, "key">, content: Content = png, name = "a.png") =>
  (await uploadFile(tenant, content, name)).body.id as string;

const newConversation = async (tenant: Pick<TestTenant, "key">): Promise<string> =>
  (await call(tenant, "POST", "/conversations", { channelId: "web" })).body.id;

const post = (
  tenant: Pick<TestTenant, "key">,
  conversationId: string,
  body: object,
  headers = {},
) => call(tenant, "POST", `/conversations/${conversationId}/messages`, body, headers);

const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Follows a link, as a browser does: without a key. */
async function download(url: string, method = "GET") {
  const [, , , , tenantId = "", environment = "", fileId = ""] = url.split(/[/?]/);
  const params = Promise.resolve({ tenantId, environment, fileId });
  const response = await GET(new Request(url, { method }), { params });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** The files in the store of this test file, and those still being received. */
async function filesOnDisk(part: "kept" | "incoming", tenant?: TestTenant): Promise<string[]> {
  const directory = path.join(env().BLOB_DIRECTORY, part, ...(tenant ? [tenant.tenantId] : []));
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const inHours = (hours: number) => {
  const at = Date.now() + hours * 3_600_000;
  setCurrentTime(() => new Date(at));
};

/** Removes what is due, as the jobs do. */
async function purge(): Promise<void> {
  await purgeExpired(100);
  await removeStrayBlobs(100);
}

const totalOf = (tenant: TestTenant) => storedBytes(reader(tenant.identity));

describe("uploading", () => {
  test("201 with the file and a link for 5 minutes, and the same file when it is read", async () => {
    const tenant = await newTenant();
    const before = Date.now();
    const { status, body } = await uploadFile(tenant, png, "photo.png");
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^fil_/),
      environment: "test",
      name: "photo.png",
      contentType: "image/png",
      sizeBytes: png.length,
      sha256: createHash("sha256").update(png).digest("hex"),
      messageId: null,
      url: expect.stringContaining(
        `${env().APP_URL}/files/${tenant.tenantId}/test/${body.id}?expires=`,
      ),
      urlExpiresAt: expect.any(String),
      createdAt: expect.any(String),
    });
    const validMs = Date.parse(body.urlExpiresAt) - before;
    expect(validMs).toBeGreaterThan(299_000 - 1);
    expect(Date.parse(body.urlExpiresAt) - Date.now()).toBeLessThanOrEqual(300_000);

    const links = { url: null, urlExpiresAt: null };
    const read = await call(tenant, "GET", `/files/${body.id}`);
    expect({ ...read.body, ...links }).toEqual({ ...body, ...links });
    expect((await download(read.body.url)).bytes).toEqual(png);
    expect(await eventsInOrder(tenant)).toEqual([]);
  });

  const html = "<!doctype html><script>alert(1)</script>";
  const svg = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1]);
  test.each<[string, Content, string, string, boolean]>([
    ["a PNG", png, "a.txt", "image/png", true],
    ["a JPEG", jpeg, "a.html", "image/jpeg", true],
    ["a GIF", Buffer.from("GIF89a\x01\x00\x01\x00\x80\x00\x00", "latin1"), "a", "image/gif", true],
    [
      "a WebP",
      Buffer.from("RIFF\x24\x00\x00\x00WEBP VP8 \xff", "latin1"),
      "a.x",
      "image/webp",
      true,
    ],
    ["HTML that is named like an image", html, "a.png", "text/html", false],
    ["SVG that is named like an image", svg, "a.png", "image/svg+xml", false],
    ["a script that starts like a GIF", "GIF89a/*...*/=1;alert(1)", "a.gif", "text/plain", false],
    ["a PDF that starts like an image's name", pdfOf(["Hi"]), "a.png", "application/pdf", false],
    [
      "a PNG signature without an image",
      Buffer.from("\x89PNG\r\n\x1a\n<script>alert(1)</script>", "latin1"),
      "a.png",
      "application/octet-stream",
      false,
    ],
    ["text", "Hello", "a.png", "text/plain", false],
    ["nothing", "", "a.png", "text/plain", false],
    ["a zip", zipOf({ "a.txt": "a" }), "a.png", "application/zip", false],
    [
      "a Word document",
      zipOf({ ...wordParts, "word/document.xml": wordXml("Hi") }),
      "a.zip",
      docxType,
      false,
    ],
    ["unknown bytes", randomBytes(50).fill(0, 0, 1), "a.png", "application/octet-stream", false],
  ])(
    "%s has the type of its content, whatever its name and declared type, and only safe images are shown",
    async (_what, content, name, contentType, isInline) => {
      const tenant = await newTenant();
      const form = new FormData();
      const blob = new Blob([typeof content === "string" ? content : new Uint8Array(content)], {
        type: "image/png",
      });
      form.append("file", blob, name);
      const { body } = await send("/v1/public/files", {
        method: "POST",
        headers: { authorization: `Bearer ${tenant.key}` },
        body: form,
      });
      expect(body).toMatchObject({ name, contentType });

      const { status, headers, bytes } = await download(body.url);
      expect(status).toBe(200);
      expect(bytes).toEqual(Buffer.from(content as string));
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": isInline ? contentType : "application/octet-stream",
        "content-length": String(bytes.length),
        "content-disposition": expect.stringMatching(isInline ? /^inline; / : /^attachment; /),
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
        "cache-control": expect.stringMatching(/^private, max-age=(300|29\d), immutable$/),
      });
    },
  );

  test.each([
    [
      "../../etc/passwd",
      /filename="\.\._\.\._etc_passwd"; filename\*=UTF-8''\.\._\.\._etc_passwd$/,
    ],
    ['a"; filename="b.html', /filename="a_; filename=_b\.html"; filename\*=UTF-8''a%22%3B%20/],
    [
      "Grüße 🎉.pdf",
      /filename="Gr__e __?\.pdf"; filename\*=UTF-8''Gr%C3%BC%C3%9Fe%20%F0%9F%8E%89\.pdf$/,
    ],
    ["photo\u202Egnp.exe", /filename="photo_gnp\.exe"; filename\*=UTF-8''photo_gnp\.exe$/],
    ["a\r\nSet-Cookie: b=1", /filename="a__Set-Cookie: b=1"/],
  ])(
    "the name %j is safe in the header of its download, and is stored as it was sent",
    async (name, disposition) => {
      const tenant = await newTenant();
      const { body } = await call(tenant, "POST", "/files", { name, text: "Hello" });
      expect(body).toMatchObject({ name, contentType: "text/plain", sizeBytes: 5 });
      const { headers } = await download(body.url);
      expect(headers.get("content-disposition")).toMatch(disposition);
      for (const key of await filesOnDisk("kept", tenant)) expect(key).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  test.each([
    ["no file", new FormData(), "/file"],
    ["a blank name", formOf("Hello", "a.txt", { name: " " }), "/name"],
    ["a name of 256 characters", formOf("Hello", "a.txt", { name: "a".repeat(256) }), "/name"],
    ["an unknown field", formOf("Hello", "a.txt", { kind: "1" }), "/kind"],
    ["a second file", both("a.txt", "b.txt"), "/file"],
  ])("422 for %s, and no file is left", async (_what, form, pointer) => {
    const tenant = await newTenant();
    const { status, body } = await send("/v1/public/files", {
      method: "POST",
      headers: { authorization: `Bearer ${tenant.key}` },
      body: form,
    });
    expect([status, body.errors?.[0]]).toEqual([422, expect.objectContaining({ pointer })]);
    expect(await filesOnDisk("incoming")).toEqual([]);
    expect(await filesOnDisk("kept", tenant)).toEqual([]);
  });

  test("413 for 20 MiB and a byte, in one piece or with no length; 201 for 20 MiB", async () => {
    const tenant = await newTenant();
    const largest = Buffer.alloc(20 * 1_024 ** 2, 1);
    expect(await uploadFile(tenant, Buffer.concat([largest, Buffer.of(1)]), "a")).toMatchObject({
      status: 413,
      body: kind("payload-too-large"),
    });
    const socket = startRawUpload(tenant);
    const response = new Promise<string>((resolve) =>
      socket.once("data", (data) => resolve(data.toString())),
    );
    const chunk = "a".repeat(1_024 ** 2);
    for (let sent = 0; sent < 21; sent++)
      socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    expect(await response.finally(() => socket.destroy())).toMatch(/^HTTP\/1\.1 413 /);
    expect(await filesOnDisk("kept", tenant)).toEqual([]);
    await expect.poll(() => filesOnDisk("incoming")).toEqual([]);
    const { status, body } = await uploadFile(tenant, largest, "a");
    expect([status, body.sizeBytes]).toEqual([201, largest.length]);
    expect((await download(body.url)).bytes.equals(largest)).toBe(true);
  });

  test("an aborted upload leaves no file and no row", async () => {
    const tenant = await newTenant();
    const socket = startRawUpload(tenant);
    const chunk = "a".repeat(64 * 1_024);
    for (let sent = 0; sent < 32; sent++)
      socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    await expect.poll(() => filesOnDisk("incoming")).toHaveLength(1);
    socket.destroy();
    await expect.poll(() => filesOnDisk("incoming")).toHaveLength(0);
    expect(await filesOnDisk("kept", tenant)).toEqual([]);
    expect(await db().file.count({ where: { tenantId: tenant.tenantId } })).toBe(0);
    expect(await db().strayBlob.count({ where: { tenantId: tenant.tenantId } })).toBe(0);
  });

  test("after a crash between the file and its row, the file is removed an hour later", async () => {
    const tenant = await newTenant();
    const incoming = await receiveFile(
      (async function* () {
        yield png;
      })(),
      100,
    );
    // The process ends here.
    await storeBlob(tenant.identity.partition, incoming);
    expect(await filesOnDisk("kept", tenant)).toHaveLength(1);
    inHours(0.9);
    await purge();
    expect(await filesOnDisk("kept", tenant)).toHaveLength(1);
    inHours(1.1);
    await purge();
    expect(await filesOnDisk("kept", tenant)).toEqual([]);
  });

  test("one file for equal uploads with one Idempotency-Key, and 422 for another with that key", async () => {
    const tenant = await newTenant();
    const key = { "idempotency-key": "k" };
    const request = () => uploadFile(tenant, png, "a.png", key);
    const replies = await Promise.all(Array.from({ length: 4 }, () => patiently(request)));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await uploadFile(tenant, "Other", "a.png", key)).toMatchObject({
      status: 422,
      body: kind("idempotency-key-reused"),
    });
    await removeStrayBlobs(100);
    expect(await filesOnDisk("kept", tenant)).toHaveLength(1);
    expect(await totalOf(tenant)).toBe(png.length);
  });

  test("409 limit-reached once documents and files together take the plan's storage, also under concurrent uploads", async () => {
    const tenant = await newTenant();
    const limit = 1_000_000_000;
    const base = await newKnowledgeBase(tenant);
    await storeEarlier(tenant.identity.partition, limit - 35);
    await newFile(tenant, "0123456789", "a.txt");

    // Ten bytes each, as files and as documents: there is room for two.
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        index % 2
          ? uploadFile(tenant, `text no. ${index}`, "a.txt")
          : upload(tenant, base, formOf(`text no. ${index}`, "a.txt")),
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
    expect(await filesOnDisk("kept", tenant)).toHaveLength(3);
    expect(await uploadFile(tenant, "12345", "b.txt")).toMatchObject({ status: 201 });
    // The other environment has storage of its own.
    const live = await newKey(tenant, { environment: "live" });
    expect(await uploadFile(live, png, "a.png")).toMatchObject({ status: 201 });
  });

  test("201 and 409 stay what they are if the unused file cannot be marked for removal afterwards", async () => {
    const tenant = await newTenant();
    await storeEarlier(tenant.identity.partition, 1_000_000_000 - 10);
    await db().$executeRawUnsafe(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         RAISE EXCEPTION 'terminating connection' USING ERRCODE = 'admin_shutdown';
       END $$`,
    );
    await db().$executeRawUnsafe(
      "CREATE TRIGGER refuse BEFORE UPDATE ON stray_blobs FOR EACH STATEMENT EXECUTE FUNCTION refuse()",
    );
    try {
      expect(await uploadFile(tenant, "0123456789", "a.txt")).toMatchObject({ status: 201 });
      expect(await uploadFile(tenant, "0", "b.txt")).toMatchObject({
        status: 409,
        body: kind("limit-reached"),
      });
    } finally {
      await db().$executeRawUnsafe("DROP FUNCTION refuse() CASCADE");
    }
    // The job removes the file of the refused upload, only later.
    inHours(1.1);
    await purge();
    expect(await filesOnDisk("kept", tenant)).toHaveLength(1);
  });

  test("usage counts files and their size from the day they were uploaded, until they are deleted", async () => {
    const tenant = await newTenant();
    const id = await newFile(tenant, "12345", "a.txt");
    await call(tenant, "POST", `/knowledge-bases/${await newKnowledgeBase(tenant)}/documents`, {
      name: "b.txt",
      text: "123",
    });
    const totals = async () => (await call(tenant, "GET", "/usage")).body.totals;
    expect(await totals()).toMatchObject({ documentsStored: 1, filesStored: 1, storageBytes: 8 });
    await db().file.deleteMany({ where: { id } });
    expect(await totals()).toMatchObject({ documentsStored: 1, filesStored: 0, storageBytes: 3 });
  });
});

describe("attaching", () => {
  test("201 with the files in their order and their links, wherever the message is read; events have no links", async () => {
    const tenant = await newTenant();
    const conversationId = await newConversation(tenant);
    const [first, second] = [await newFile(tenant), await newFile(tenant, "Hello", "b.txt")];
    const posted = await post(tenant, conversationId, {
      text: "Both",
      attachments: [second, first],
    });
    const link = { url: expect.stringContaining("/files/"), urlExpiresAt: expect.any(String) };
    const attachments = [
      { id: second, name: "b.txt", contentType: "text/plain", sizeBytes: 5, ...link },
      { id: first, name: "a.png", contentType: "image/png", sizeBytes: png.length, ...link },
    ];
    expect([posted.status, posted.body]).toEqual([
      201,
      expect.objectContaining({ text: "Both", attachments }),
    ]);
    const url = `/conversations/${conversationId}/messages`;
    expect((await call(tenant, "GET", url)).body.data).toMatchObject([{ attachments }]);
    const read = await call(tenant, "GET", `${url}/${posted.body.id}`);
    expect(read.body.attachments).toEqual(attachments);
    expect((await download(read.body.attachments[0].url)).bytes.toString()).toBe("Hello");
    expect((await call(tenant, "GET", `/files/${first}`)).body.messageId).toBe(posted.body.id);

    const { data } = (await eventsInOrder(tenant)).at(-1) ?? {};
    expect(data?.object.attachments).toEqual(
      attachments.map((each) => ({ ...each, url: null, urlExpiresAt: null })),
    );
  });

  test("201 for a message of only files, whose preview has their names; 422 for one of neither", async () => {
    const tenant = await newTenant();
    const conversationId = await newConversation(tenant);
    const attachments = [await newFile(tenant), await newFile(tenant, "Hello", "b.txt")];
    expect(await post(tenant, conversationId, { attachments })).toMatchObject({
      status: 201,
      body: { text: "" },
    });
    expect((await call(tenant, "GET", `/conversations/${conversationId}`)).body).toMatchObject({
      lastMessagePreview: "a.png, b.txt",
    });
    const only = { text: "", attachments: [await newFile(tenant)] };
    expect(await post(tenant, conversationId, only)).toMatchObject({ status: 201 });
    for (const [body, code] of [
      [{}, "required"],
      [{ attachments: [] }, "required"],
      [{ text: "", attachments: [] }, "too_small"],
      [{ text: "" }, "too_small"],
    ] as const)
      expect(await post(tenant, conversationId, body)).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: "/text", code }] },
      });
    // All issues are reported together.
    const { body } = await post(tenant, conversationId, { author: { type: "ROBOT" } });
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted()).toEqual([
      "/author/type",
      "/text",
    ]);
  });

  test("the first message of a conversation can have files, and so can one that continues a closed conversation", async () => {
    const tenant = await newTenant();
    const [first, second] = [await newFile(tenant), await newFile(tenant)];
    const { body: conversation } = await call(tenant, "POST", "/conversations", {
      channelId: "web",
      message: { attachments: [first] },
    });
    expect(conversation).toMatchObject({ messageCount: 1, lastMessagePreview: "a.png" });
    await call(tenant, "PATCH", `/conversations/${conversation.id}`, { status: "CLOSED" });
    const { body: message } = await post(tenant, conversation.id, {
      text: "Again",
      attachments: [second],
      onClosed: "new",
    });
    expect(message.conversationId).not.toBe(conversation.id);
    expect(message.attachments).toMatchObject([{ id: second, url: expect.any(String) }]);
    expect((await call(tenant, "GET", `/files/${second}`)).body.messageId).toBe(message.id);
  });

  test("422 that points at each file of another tenant, the other environment, or none; nothing is posted", async () => {
    const tenant = await newTenant();
    const conversationId = await newConversation(tenant);
    const own = await newFile(tenant);
    const foreign = [
      await newFile(await newTenant()),
      await newFile(await newKey(tenant, { environment: "live" })),
      newId("file"),
    ];
    const { status, body } = await post(tenant, conversationId, {
      text: "Hi",
      attachments: [own, ...foreign],
    });
    expect([status, body.errors]).toEqual([
      422,
      [1, 2, 3].map((index) => ({
        pointer: `/attachments/${index}`,
        location: "body",
        code: "unknown_file",
        message: `attachments.${index} must be the id of a file in this environment`,
      })),
    ]);
    const created = await call(tenant, "POST", "/conversations", {
      channelId: "web",
      message: { text: "Hi", attachments: foreign.slice(0, 1) },
    });
    expect(created).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/message/attachments/0" }] },
    });
    expect((await call(tenant, "GET", `/conversations/${conversationId}`)).body.messageCount).toBe(
      0,
    );
    expect((await post(tenant, conversationId, { text: "Hi", attachments: [own] })).status).toBe(
      201,
    );
  });

  test.each<[string, unknown, string]>([
    ["11 files", Array.from({ length: 11 }, () => newId("file")), "/attachments"],
    ["a file twice", Array(2).fill("fil_01KA5V0V7W3Y5Z8J4QX2N6M9TC"), "/attachments/1"],
    ["an id of something else", ["msg_01KA5V0V7W3Y5Z8J4QX2N6M9TC"], "/attachments/0"],
    ["no list", 7, "/attachments"],
  ])("422 for %s", async (_what, attachments, pointer) => {
    const tenant = await newTenant();
    const conversationId = await newConversation(tenant);
    expect(await post(tenant, conversationId, { text: "Hi", attachments })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer }] },
    });
  });

  test("201 with 10 files", async () => {
    const tenant = await newTenant();
    const attachments = [];
    for (let number = 0; number < 10; number++) attachments.push(await newFile(tenant));
    const { status, body } = await post(tenant, await newConversation(tenant), { attachments });
    expect([status, body.attachments.map(({ id }: { id: string }) => id)]).toEqual([
      201,
      attachments,
    ]);
  });

  test("of concurrent messages with the same files, one gets them, and 409 names it to the others", async () => {
    const tenant = await newTenant();
    const conversations = await Promise.all(
      Array.from({ length: 6 }, () => newConversation(tenant)),
    );
    const files = [await newFile(tenant), await newFile(tenant)];
    const replies = await Promise.all(
      conversations.map((id, index) =>
        // In both orders: they must not wait for each other in a circle.
        post(tenant, id, { attachments: index % 2 ? files : files.toReversed() }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array(5).fill(409)]);
    const winner = replies.find(({ status }) => status === 201)?.body.id;
    for (const { status, body } of replies)
      if (status === 409) expect(body).toMatchObject({ ...kind("conflict"), existingId: winner });
    expect(await db().message.count({ where: { tenantId: tenant.tenantId } })).toBe(1);
  });

  test("the same message with one Idempotency-Key is posted once, and its replay has the same bytes", async () => {
    const tenant = await newTenant();
    const conversationId = await newConversation(tenant);
    const body = { text: "Hi", attachments: [await newFile(tenant)] };
    const key = { "idempotency-key": "k" };
    const request = () => post(tenant, conversationId, body, key);
    const replies = await Promise.all(Array.from({ length: 4 }, () => patiently(request)));
    replies.push(await post(tenant, conversationId, body, key));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(201);
    expect(await db().message.count({ where: { tenantId: tenant.tenantId } })).toBe(1);
  });

  test("files are read and written with the scopes of conversations, and only in their own environment", async () => {
    const tenant = await newTenant();
    const id = await newFile(tenant);
    const reader = await newKey(tenant, { scopes: ["read:conversations"] });
    expect((await uploadFile(reader, png, "a.png")).status).toBe(403);
    expect((await call(reader, "GET", `/files/${id}`)).status).toBe(200);
    const writer = await newKey(tenant, { scopes: ["write:conversations"] });
    expect((await call(writer, "GET", `/files/${id}`)).status).toBe(403);
    for (const stranger of [await newTenant(), await newKey(tenant, { environment: "live" })])
      expect((await call(stranger, "GET", `/files/${id}`)).status).toBe(404);
  });

  test("the ETag of a message with files is that of its content: If-None-Match gets new links, and the tag stays", async () => {
    const tenant = await newTenant();
    const conversationId = await newConversation(tenant);
    const { body } = await post(tenant, conversationId, { attachments: [await newFile(tenant)] });
    const url = `/conversations/${conversationId}/messages/${body.id}`;
    const first = await call(tenant, "GET", url);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\//);
    const readAgain = async () => {
      const later = await call(tenant, "GET", url, undefined, { "if-none-match": etag });
      expect([later.status, later.headers.get("etag")]).toEqual([200, etag]);
      return later.body.attachments[0].url;
    };
    // A link names the second at which it expires.
    await expect.poll(readAgain).not.toBe(first.body.attachments[0].url);
    expect((await download(await readAgain())).status).toBe(200);
    const redact = (tag: string) => call(tenant, "DELETE", url, undefined, { "if-match": tag });
    expect((await redact('"another"')).status).toBe(412);
    expect(await redact(etag)).toMatchObject({ status: 200, body: { attachments: [] } });
  });
});

describe("links", () => {
  test("403 invalid-link with a clear sentence after 5 minutes, and not a second before", async () => {
    const tenant = await newTenant();
    const now = Date.now();
    setCurrentTime(() => new Date(now));
    const { url } = (await uploadFile(tenant, png, "a.png")).body;
    setCurrentTime(() => new Date(now + 299_000));
    expect((await download(url)).status).toBe(200);
    setCurrentTime(() => new Date(now + 300_000));
    const { status, headers, bytes } = await download(url);
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
      403,
      "application/problem+json",
      "no-store",
    ]);
    expect(JSON.parse(bytes.toString())).toMatchObject({
      ...kind("invalid-link"),
      detail:
        "The link has expired: it is valid for 5 minutes. Read the message or the file again for a new link.",
    });
  });

  test("403 for a link that was changed anywhere, or lacks a part", async () => {
    const tenant = await newTenant();
    const { url, id } = (await uploadFile(tenant, png, "a.png")).body;
    const other = await newFile(await newKey(tenant, { environment: "live" }));
    const changed = [
      url.replace(id, await newFile(tenant)),
      url.replace("/test/", "/live/"),
      url.replace("/test/", "/live/").replace(id, other),
      url.replace(tenant.tenantId, (await newTenant()).tenantId),
      url.replace(/expires=(\d)/, "expires=9"),
      url.replace(/expires=/, "expires=+"),
      url.replace(/expires=\d+&/, ""),
      url.replace(/&signature=.*/, ""),
      url.replace(/signature=./, (found: string) =>
        found.endsWith("A") ? "signature=B" : "signature=A",
      ),
      url.slice(0, -3),
      // These decode to the same bytes.
      `${url}=`,
      `${url}%20`,
      url.replace(/.$/, (last: string) => base64url[base64url.indexOf(last) ^ 1] ?? ""),
    ];
    for (const link of changed) {
      const { status, bytes } = await download(link);
      expect([link, status, JSON.parse(bytes.toString())]).toEqual([
        link,
        403,
        expect.objectContaining(kind("invalid-link")),
      ]);
    }
  });

  test("404 for a valid link to a file that was deleted", async () => {
    const tenant = await newTenant();
    const { url, id } = (await uploadFile(tenant, png, "a.png")).body;
    await db().file.deleteMany({ where: { id } });
    expect((await download(url)).status).toBe(404);
  });

  test("HEAD has the headers of the download and no bytes", async () => {
    const { url } = (await uploadFile(await newTenant(), png, "a.png")).body;
    const { status, headers, bytes } = await download(url, "HEAD");
    expect([status, headers.get("content-length"), bytes.length]).toEqual([
      200,
      String(png.length),
      0,
    ]);
  });
});

describe("deleting", () => {
  test("a file that no message has is deleted after 24 hours with its bytes, one of a message stays", async () => {
    const tenant = await newTenant();
    const [lost, kept] = [await newFile(tenant, "lost", "a"), await newFile(tenant, "kept", "b")];
    await post(tenant, await newConversation(tenant), { attachments: [kept] });
    inHours(23.9);
    await purge();
    expect((await call(tenant, "GET", `/files/${lost}`)).status).toBe(200);
    inHours(24.1);
    await purge();
    expect((await call(tenant, "GET", `/files/${lost}`)).status).toBe(404);
    // The link is signed by the server, which may be another process with the real time.
    inHours(0);
    const { body } = await call(tenant, "GET", `/files/${kept}`);
    expect((await download(body.url)).bytes.toString()).toBe("kept");
    expect(await filesOnDisk("kept", tenant)).toHaveLength(1);
    expect(await totalOf(tenant)).toBe(4);
  });

  test("a file that is being attached is not purged, and a purged one cannot be attached", async () => {
    const tenant = await newTenant();
    const conversationId = await newConversation(tenant);
    const [held, purged] = [await newFile(tenant), await newFile(tenant)];
    inHours(25);
    await mutate(tenant.identity, async (caller) => {
      await lockFilesToAttach(caller, [held]);
      await purge();
    });
    expect(await db().file.findMany({ where: { id: { in: [held, purged] } } })).toMatchObject([
      { id: held },
    ]);
    expect(await post(tenant, conversationId, { attachments: [purged] })).toMatchObject({
      status: 422,
    });
    expect(await post(tenant, conversationId, { attachments: [held] })).toMatchObject({
      status: 201,
    });
  });

  test("deleting a message or a conversation deletes the files and their bytes", async () => {
    const tenant = await newTenant();
    const conversations = [await newConversation(tenant), await newConversation(tenant)];
    const messages = [];
    for (const id of conversations)
      messages.push(
        (await post(tenant, id, { attachments: [await newFile(tenant), await newFile(tenant)] }))
          .body.id,
      );
    await db().message.deleteMany({ where: { id: messages[0] } });
    await removeStrayBlobs(100);
    expect(await filesOnDisk("kept", tenant)).toHaveLength(2);
    expect(await totalOf(tenant)).toBe(2 * png.length);
    const { body: page } = await call(tenant, "GET", `/conversations/${conversations[1]}/messages`);
    const [{ id, url }] = page.data[0].attachments;
    await call(tenant, "DELETE", `/conversations/${conversations[1]}`);
    // Gone before the job has deleted them.
    expect((await call(tenant, "GET", `/files/${id}`)).status).toBe(404);
    expect((await download(url)).status).toBe(404);
    while ((await workOffDeletions(500)) > 0);
    await removeStrayBlobs(100);
    expect(await filesOnDisk("kept", tenant)).toEqual([]);
    expect(await totalOf(tenant)).toBe(0);
    expect(await db().strayBlob.count({ where: { tenantId: tenant.tenantId } })).toBe(0);
  });

  test("the files of a message whose row stays are deleted with their bytes", async () => {
    const tenant = await newTenant();
    const conversationId = await newConversation(tenant);
    const [gone, kept] = [await newFile(tenant), await newFile(tenant)];
    const { body } = await post(tenant, conversationId, { text: "Hi", attachments: [gone] });
    await post(tenant, conversationId, { text: "Hi", attachments: [kept] });
    await mutate(tenant.identity, (caller) => deleteFilesOfMessages(caller, [body.id]));
    await removeStrayBlobs(100);
    expect((await call(tenant, "GET", `/files/${gone}`)).status).toBe(404);
    expect((await call(tenant, "GET", `/files/${kept}`)).status).toBe(200);
    expect(await filesOnDisk("kept", tenant)).toHaveLength(1);
  });
});

test("a stray file that cannot be removed is tried again later, and the others are removed now", async () => {
  const tenant = await newTenant();
  const { partition } = tenant.identity;
  // A directory cannot be removed as if it were a file.
  const stuck = `${partition.tenantId}/test/stuck`;
  const directory = path.join(env().BLOB_DIRECTORY, "kept", stuck);
  await mkdir(directory, { recursive: true });
  await db().strayBlob.create({
    data: { ...partition, key: stuck, removeAfter: new Date(Date.now() - 60_000) },
  });
  for (const content of ["1", "2", "3", "4", "5", "6"])
    await storeBlob(partition, await receiveFile(Readable.from([Buffer.from(content)]), 1));
  const isDue = { removeAfter: new Date(Date.now() - 1_000) };
  await db().strayBlob.updateMany({ where: { ...partition, key: { not: stuck } }, data: isDue });

  expect(await removeStrayBlobs(100)).toBe(6);
  expect(await filesOnDisk("kept", tenant)).toEqual([]);
  const rows = await db().strayBlob.findMany({ where: partition });
  expect(rows).toMatchObject([{ key: stuck }]);
  expect(await removeStrayBlobs(100)).toBe(0);

  await rm(directory, { recursive: true });
  await db().strayBlob.updateMany({ where: partition, data: isDue });
  expect(await removeStrayBlobs(100)).toBe(1);
  expect(await db().strayBlob.count({ where: partition })).toBe(0);
});

function both(...names: string[]): FormData {
  const form = formOf("Hello", names[0] ?? "");
  for (const name of names.slice(1)) form.append("file", new Blob(["Hello"]), name);
  return form;
}

/** The head of a chunked upload, and of the part that contains the file. */
function startRawUpload({ key }: Pick<TestTenant, "key">) {
  const { hostname, port } = new URL(baseUrl());
  const socket = connect(Number(port), hostname);
  const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
  const headers = [
    "POST /v1/public/files HTTP/1.1",
    "Host: localhost",
    `Authorization: Bearer ${key}`,
    "Content-Type: multipart/form-data; boundary=x",
    "Transfer-Encoding: chunked",
  ];
  socket.on("error", () => {});
  socket.write(`${headers.join("\r\n")}\r\n\r\n${part.length.toString(16)}\r\n${part}\r\n`);
  return socket;
}
