import { once } from "node:events";
import { request } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { baseUrl, call, newTenant, send, type TestTenant } from "../support/api";
import { newKnowledgeBase } from "../support/documents";

// What a request sends is stored as it is, or refused. Nothing is dropped or replaced silently.

let tenant: TestTenant;
let base: string;
let agentId: string;

beforeAll(async () => {
  tenant = await newTenant();
  base = await newKnowledgeBase(tenant, "Stored as sent");
  agentId = (await call(tenant, "POST", "/agents", { name: "Agent" })).body.id;
});

const kind = (name: string) => ({ type: expect.stringMatching(new RegExp(`/errors/${name}$`)) });

/** Every way to create something with metadata. */
const creations: [string, () => string, object][] = [
  ["a conversation", () => "/conversations", { channelId: "web" }],
  ["a message", () => "/conversations", { channelId: "web", message: { text: "Hi" } }],
  ["a customer", () => "/customers", { name: "Ada" }],
  ["an agent", () => "/agents", { name: "Agent" }],
  ["a knowledge base", () => "/knowledge-bases", { name: "Base" }],
  ["a document", () => `/knowledge-bases/${base}/documents`, { name: "Text", text: "Text" }],
  ["a webhook", () => "/webhooks", { url: "https://example.com/", events: ["*"] }],
];

describe("metadata", () => {
  test.each(creations)("422 for the key __proto__ in %s", async (_what, path, body) => {
    const sent = JSON.stringify({ ...body, metadata: "here" }).replace(
      '"here"',
      '{"__proto__":"x","kept":1}',
    );
    expect(await call(tenant, "POST", path(), sent)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/metadata/__proto__", location: "body", code: "invalid_key" }] },
    });
  });

  test("422 for the name __proto__ at any depth of a body, in a form and in a query", async () => {
    const top = await call(
      tenant,
      "POST",
      "/conversations",
      '{"channelId":"web","__proto__":{"a":1}}',
    );
    expect(top).toMatchObject({ status: 422, body: { errors: [{ pointer: "/__proto__" }] } });
    const nested = await call(
      tenant,
      "POST",
      "/conversations",
      '{"channelId":"web","message":{"text":"a","metadata":{"__proto__":1}}}',
    );
    expect(nested).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/message/metadata/__proto__" }] },
    });
    const patch = await call(
      tenant,
      "PATCH",
      `/agents/${agentId}`,
      '{"metadata":{"__proto__":null}}',
    );
    expect(patch).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/metadata/__proto__" }] },
    });
    const query = await call(tenant, "GET", "/conversations?__proto__=1");
    expect(query).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/__proto__", location: "query" }] },
    });
    const form = await postForm(part('name="metadata"', '{"__proto__":1}'), file("a.txt", "proto"));
    expect(form).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/metadata/__proto__" }] },
    });
  });

  test("201 with every other name that JavaScript objects inherit, and PATCH deletes them", async () => {
    const metadata = { constructor: "a", toString: 1, hasOwnProperty: true };
    const { body: created } = await call(tenant, "POST", "/customers", { name: "Ada", metadata });
    expect(created.metadata).toEqual(metadata);
    const patch = { metadata: { constructor: null, toString: null, hasOwnProperty: null } };
    expect((await call(tenant, "PATCH", `/customers/${created.id}`, patch)).body.metadata).toEqual(
      {},
    );
  });

  test.each(creations)(
    "422 for null in the metadata of %s: null deletes a key, and only in a PATCH",
    async (_what, path, body) => {
      const sent =
        "message" in body
          ? { ...body, message: { text: "Hi", metadata: { plan: null } } }
          : { ...body, metadata: { plan: null } };
      expect(await call(tenant, "POST", path(), sent)).toMatchObject({
        status: 422,
        body: {
          errors: [
            {
              pointer: expect.stringMatching(/\/metadata\/plan$/),
              message: expect.stringContaining("only in a PATCH"),
            },
          ],
        },
      });
    },
  );
});

describe("names", () => {
  const named: [string, () => string, object, string[]][] = [
    ["a customer", () => "/customers", {}, ["name"]],
    ["an agent", () => "/agents", {}, ["name", "model"]],
    ["a knowledge base", () => "/knowledge-bases", {}, ["name"]],
    ["a document", () => `/knowledge-bases/${base}/documents`, { text: " named " }, ["name"]],
  ];
  test.each(named)(
    "201 keeps white space in the name of %s, 422 for white space only",
    async (_what, path, rest, fields) => {
      const filledWith = (text: string) => Object.fromEntries(fields.map((field) => [field, text]));
      const created = await call(tenant, "POST", path(), { ...rest, ...filledWith(" \tAda  ") });
      expect(created).toMatchObject({ status: 201, body: filledWith(" \tAda  ") });
      expect((await call(tenant, "GET", `${path()}/${created.body.id}`)).body).toMatchObject(
        filledWith(" \tAda  "),
      );
      const blank = await call(tenant, "POST", path(), { ...rest, ...filledWith(" \n") });
      expect(blank.status).toBe(422);
      expect(blank.body.errors).toMatchObject(
        fields.map((field) => ({ pointer: `/${field}`, message: `${field} must not be blank` })),
      );
    },
  );

  test("422 for white space around an email address, which is stored in lower case", async () => {
    expect(
      (await call(tenant, "POST", "/customers", { email: "ADA@Example.com" })).body.email,
    ).toBe("ada@example.com");
    expect((await call(tenant, "POST", "/customers", { email: " ada@example.com" })).status).toBe(
      422,
    );
  });
});

describe("lists", () => {
  test.each([
    ["tags", () => "/conversations", { channelId: "web", tags: ["a", "b", "a"] }, "/tags/2"],
    ["events", () => "/webhooks", { url: "https://example.com/", events: ["*", "*"] }, "/events/1"],
    [
      "knowledgeBaseIds",
      () => "/agents",
      { name: "Agent", knowledgeBaseIds: "twice" },
      "/knowledgeBaseIds/1",
    ],
  ])("422 for the same item twice in %s", async (_what, path, body, pointer) => {
    const sent = "knowledgeBaseIds" in body ? { ...body, knowledgeBaseIds: [base, base] } : body;
    expect(await call(tenant, "POST", path(), sent)).toMatchObject({
      status: 422,
      body: {
        errors: [
          {
            pointer,
            code: "repeated",
            message: expect.stringContaining("must not be repeated"),
          },
        ],
      },
    });
  });
});

describe("a form", () => {
  test.each([
    [
      "a field",
      () => [part('name="name"', Buffer.from([0x47, 0xfc])), file("a.txt", "1")],
      "The field name",
    ],
    [
      "a field that claims another encoding",
      () => [
        part('name="name"', Buffer.from([0xfc]), "text/plain; charset=iso-8859-1"),
        file("a.txt", "2"),
      ],
      "The field name",
    ],
    ["the file name", () => [file(Buffer.from([0x47, 0xfc]), "3")], "The file name"],
  ])(
    "400 for %s that is not UTF-8, as for JSON, and nothing is stored",
    async (_what, parts, what) => {
      const reply = await postForm(...parts());
      expect(reply).toMatchObject({
        status: 400,
        body: { ...kind("malformed-request"), detail: `${what} is not valid UTF-8.` },
      });
    },
  );

  test("201 with U+FFFD, a byte order mark and white space in a field that is UTF-8", async () => {
    const name = "\uFEFF a\uFFFDb 😀 ";
    expect(await postForm(part('name="name"', name), file("a.txt", "4"))).toMatchObject({
      status: 201,
      body: { name },
    });
    expect(await postForm(file(" Grüße 😀.txt ", "5"))).toMatchObject({
      status: 201,
      body: { name: " Grüße 😀.txt " },
    });
  });

  test.each([
    [
      "a text instead of the file",
      () => [part('name="file"', "text")],
      "/file",
      "invalid_type",
      "file must be a file",
    ],
    [
      "a second file",
      () => [file("a.txt", "6"), file("b.txt", "7")],
      "/file",
      "repeated",
      "file must not be repeated",
    ],
    [
      "a file in another field",
      () => [part('name="f/2"; filename="a.txt"', "8")],
      "/f~12",
      "unknown_field",
      "name the field `file`",
    ],
    [
      "a field that is too long",
      () => [part('name="name"', "x".repeat(65_537)), file("a.txt", "9")],
      "/name",
      "too_big",
      "64 KiB",
    ],
    [
      "a field twice",
      () => [part('name="name"', "x"), part('name="name"', "y"), file("a.txt", "10")],
      "/name",
      "repeated",
      "must not be repeated",
    ],
    ["no file", () => [part('name="name"', "x")], "/file", "required", "file is required"],
    [
      "too many parts",
      () => Array.from({ length: 13 }, (_, index) => part(`name="x${index}"`, "")),
      "",
      "too_many",
      "at most 12 parts",
    ],
  ] as const)("422 for %s says which part it is", async (_what, parts, pointer, code, message) => {
    const reply = await postForm(...parts());
    expect(reply.status).toBe(422);
    expect(reply.body.errors).toContainEqual({
      pointer,
      location: "body",
      code,
      message: expect.stringContaining(message),
    });
  });

  test.each(["multipart/mixed; boundary=x", "text/plain", "application/octet-stream"])(
    "415 for %s names both ways to upload",
    async (type) => {
      const reply = await send(`/v1/public/knowledge-bases/${base}/documents`, {
        method: "POST",
        headers: { authorization: `Bearer ${tenant.key}`, "content-type": type },
        body: "--x--",
      });
      expect(reply).toMatchObject({
        status: 415,
        body: { detail: expect.stringMatching(/multipart\/form-data.*application\/json/) },
      });
    },
  );
});

test("400 for two Idempotency-Key headers, which are not one key", async () => {
  const { status, body } = await postWithKeys(["a", "b"]);
  expect({ status, body }).toMatchObject({ status: 400, body: kind("invalid-idempotency-key") });
  expect((await postWithKeys(["a"])).status).toBe(201);
});

const crlf = Buffer.from("\r\n");

function part(disposition: string | Buffer, content: string | Buffer, type?: string): Buffer {
  const head = Buffer.concat([
    Buffer.from("Content-Disposition: form-data; "),
    Buffer.from(disposition),
  ]);
  const typeLine = type ? Buffer.from(`\r\nContent-Type: ${type}`) : Buffer.alloc(0);
  return Buffer.concat([
    Buffer.from("--x\r\n"),
    head,
    typeLine,
    crlf,
    crlf,
    Buffer.from(content),
    crlf,
  ]);
}

function file(name: string | Buffer, content: string): Buffer {
  return part(
    Buffer.concat([Buffer.from('name="file"; filename="'), Buffer.from(name), Buffer.from('"')]),
    content,
  );
}

function postForm(...parts: Buffer[]) {
  return send(`/v1/public/knowledge-bases/${base}/documents`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${tenant.key}`,
      "content-type": "multipart/form-data; boundary=x",
    },
    body: new Uint8Array(Buffer.concat([...parts, Buffer.from("--x--\r\n")])),
  });
}

/** Sends each key in a separate header, which `fetch` cannot. */
async function postWithKeys(
  keys: string[],
): Promise<{ status: number | undefined; body: unknown }> {
  const outgoing = request(`${baseUrl()}/v1/public/conversations`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${tenant.key}`,
      "content-type": "application/json",
      "idempotency-key": keys,
    },
  });
  outgoing.end('{"channelId":"web"}');
  const [incoming] = await once(outgoing, "response");
  const text = (await incoming.toArray()).join("");
  return { status: incoming.statusCode, body: JSON.parse(text) };
}
