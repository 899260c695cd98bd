import { describe, expect, test } from "vitest";
import { routes } from "@/lib/api/routes";
import { call, newKey, newTenant, patiently, type Reply, type TestTenant } from "../support/api";
import { newKnowledgeBase } from "../support/documents";

const ifMatch = (version: string, key?: string) => ({
  "if-match": version,
  ...(key !== undefined && { "idempotency-key": key }),
});
const etagOf = ({ headers }: Reply) => headers.get("etag") ?? "none";

type Changed = {
  operationId: string;
  /** Creates the resource. @returns its path */
  create: (tenant: TestTenant) => Promise<string>;
  method: "PATCH" | "PUT" | "DELETE";
  /** Of the request, if it differs from that of the resource. */
  path?: string;
  /** Two bodies that both change the resource. */
  bodies: [object | undefined, object | undefined];
  /** The status for a version that the change has replaced or removed: 412 by default. */
  late?: 404;
};

const made = async (tenant: TestTenant, path: string, body: object) =>
  `${path}/${(await call(tenant, "POST", path, body)).body.id}`;

/** What PostgreSQL and JavaScript may each write in a way of their own. */
const metadata = { b: 1, a: 0.1, large: 2 ** 53 - 1, small: 1.5e-7, text: '\u2028 "\\ ä😀' };
const webhook = (tenant: TestTenant) =>
  made(tenant, "/webhooks", { url: "https://example.com/", events: ["*"], metadata });

const conversation = (tenant: TestTenant) =>
  made(tenant, "/conversations", {
    channelId: "web",
    message: "Hi",
    tags: ["b", "a"],
    metadata,
  });

const deletion = (operationId: string, create: Changed["create"]): Changed => ({
  operationId,
  create,
  method: "DELETE",
  bodies: [undefined, undefined],
  late: 404,
});

const textDocument = async (tenant: TestTenant) =>
  made(tenant, `/knowledge-bases/${await newKnowledgeBase(tenant)}/documents`, {
    name: "Text",
    text: "Hello",
    metadata,
  });

const changed: Record<string, Changed> = {
  "PATCH a conversation": {
    operationId: "updateConversation",
    create: conversation,
    method: "PATCH",
    bodies: [{ subject: "One" }, { subject: "Two" }],
  },
  "PATCH a customer": {
    operationId: "updateCustomer",
    create: (tenant) => made(tenant, "/customers", { name: "Ada", metadata }),
    method: "PATCH",
    bodies: [{ name: "Grace" }, { name: "Eve" }],
  },
  "PUT a customer": {
    operationId: "upsertCustomer",
    create: (tenant) => made(tenant, "/customers", { externalId: "user_1", metadata }),
    method: "PUT",
    path: "/customers/by-external-id/user_1",
    bodies: [{ name: "Grace" }, { name: "Eve" }],
  },
  "PATCH an agent": {
    operationId: "updateAgent",
    create: (tenant) => made(tenant, "/agents", { name: "Agent", temperature: 0.3, metadata }),
    method: "PATCH",
    bodies: [{ name: "One" }, { name: "Two" }],
  },
  "PATCH a webhook": {
    operationId: "updateWebhook",
    create: webhook,
    method: "PATCH",
    bodies: [{ description: "One" }, { description: "Two" }],
  },
  "DELETE a webhook": deletion("deleteWebhook", webhook),
  "DELETE a conversation": deletion("deleteConversation", conversation),
  "DELETE a customer": deletion("deleteCustomer", (tenant) =>
    made(tenant, "/customers", { name: "Ada", metadata }),
  ),
  "DELETE an agent": deletion("deleteAgent", (tenant) =>
    made(tenant, "/agents", { name: "Agent", metadata }),
  ),
  "DELETE a knowledge base": deletion(
    "deleteKnowledgeBase",
    async (tenant) => `/knowledge-bases/${await newKnowledgeBase(tenant)}`,
  ),
  // A redacted message is still there.
  "DELETE a message": {
    operationId: "redactMessage",
    create: async (tenant) => {
      const path = `${await conversation(tenant)}/messages`;
      return `${path}/${(await call(tenant, "GET", path)).body.data[0].id}`;
    },
    method: "DELETE",
    bodies: [undefined, undefined],
  },
  "PATCH a knowledge base": {
    operationId: "updateKnowledgeBase",
    create: async (tenant) => `/knowledge-bases/${await newKnowledgeBase(tenant)}`,
    method: "PATCH",
    bodies: [{ name: "One" }, { name: "Two" }],
  },
  "PATCH a document": {
    operationId: "updateDocument",
    create: textDocument,
    method: "PATCH",
    bodies: [{ name: "One" }, { name: "Two" }],
  },
  "DELETE a document": deletion("deleteDocument", textDocument),
};

/** What a file is needed for is tested with the other uploads, in knowledge.test.ts. */
const testedElsewhere = ["replaceDocument", "retryDocument"];

test("every operation that takes If-Match is here", () => {
  const taking = Object.values(routes)
    .flatMap((methods) => Object.values(methods))
    .filter(({ declaration }) => declaration.versionOf)
    .map(({ declaration }) => declaration.operationId);
  const tested = Object.values(changed).map(({ operationId }) => operationId);
  expect([...tested, ...testedElsewhere].toSorted()).toEqual(taking.toSorted());
});

test("every PATCH, PUT and DELETE of a single resource takes If-Match", () => {
  const without = Object.entries(routes).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(
        ([method, { declaration }]) =>
          method !== "GET" && method !== "POST" && !declaration.versionOf,
      )
      .map(([method]) => `${method} ${path}`),
  );
  expect(without).toEqual([]);
});

describe.each(Object.entries(changed))(
  "%s",
  (_name, { create, method, path, bodies, late: lateStatus = 412 }) => {
    test("412 with another version's ETag, and nothing changes; 200 with the current one", async () => {
      const tenant = await newTenant();
      const resource = await create(tenant);
      const target = path ?? resource;
      const read = await call(tenant, "GET", resource);
      const events = (await call(tenant, "GET", "/events")).text;

      for (const other of [
        '"other"',
        'W/"other"',
        '"one", "two"',
        etagOf(read).replace(/"$/, 'x"'),
      ]) {
        const refused = await call(tenant, method, target, bodies[0], ifMatch(other));
        expect([other, refused.status, refused.body.type]).toEqual([
          other,
          412,
          expect.stringMatching(/\/errors\/precondition-failed$/),
        ]);
      }
      expect((await call(tenant, "GET", resource)).text).toBe(read.text);
      expect((await call(tenant, "GET", "/events")).text).toBe(events);

      const done = await call(tenant, method, target, bodies[0], ifMatch(etagOf(read)));
      expect(done.status).toBe(200);
      const late = await call(tenant, method, target, bodies[1], ifMatch(etagOf(read)));
      expect(late.status).toBe(lateStatus);
    });

    test.each(["*", "weak", "several"])("200 with If-Match: %s", async (form) => {
      const tenant = await newTenant();
      const resource = await create(tenant);
      const etag = etagOf(await call(tenant, "GET", resource)).replace(/^W\//, "");
      const header = { "*": "*", weak: `W/${etag}`, several: `"a,b", ${etag}` }[form] ?? "";
      const reply = await call(tenant, method, path ?? resource, bodies[0], ifMatch(header));
      expect(reply.status).toBe(200);
    });

    test("200 for one of 20 concurrent requests with the same version, 412 for the others", async () => {
      const tenant = await newTenant();
      const resource = await create(tenant);
      const etag = etagOf(await call(tenant, "GET", resource));
      const before = (await call(tenant, "GET", "/events?limit=100")).body.data.length;

      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          patiently(() => call(tenant, method, path ?? resource, bodies[index % 2], ifMatch(etag))),
        ),
      );

      expect(replies.map(({ status }) => status).toSorted()).toEqual([
        200,
        ...Array.from({ length: 19 }, () => lateStatus),
      ]);
      const after = (await call(tenant, "GET", "/events?limit=100")).body.data.length;
      expect(after - before).toBeLessThanOrEqual(1);
    });

    test("422 for a malformed If-Match, together with what else is wrong", async () => {
      const tenant = await newTenant();
      const resource = await create(tenant);
      for (const header of [
        "",
        "x",
        '"a" "b"',
        '"a",',
        '*, "a"',
        '"ä"',
        `"${"x".repeat(1_000)}"`,
      ]) {
        const reply = await call(
          tenant,
          method,
          path ?? resource,
          method === "DELETE" ? undefined : { unknown: 1 },
          ifMatch(header),
        );
        const found = reply.body.errors.map(
          ({ pointer, location }: { pointer: string; location: string }) => [pointer, location],
        );
        expect([header, reply.status, found]).toEqual([
          header,
          422,
          [["/If-Match", "header"], ...(method === "DELETE" ? [] : [["/unknown", "body"]])],
        ]);
      }
    });

    test("an Idempotency-Key replays the success after the version has changed, and belongs to one If-Match", async () => {
      const tenant = await newTenant();
      const resource = await create(tenant);
      const send = (version: string, key: string) =>
        call(tenant, method, path ?? resource, bodies[0], ifMatch(version, key));
      const etag = etagOf(await call(tenant, "GET", resource));

      const refused = await send('"other"', "refused");
      const done = await send(etag, "done");

      for (const [first, version, key] of [
        [refused, '"other"', "refused"],
        [done, etag, "done"],
      ] as const) {
        const again = await send(version, key);
        expect([again.status, again.text]).toEqual([first.status, first.text]);
        expect(again.headers.get("idempotent-replayed")).toBe("true");
        expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
      }
      expect([refused.status, done.status]).toEqual([412, 200]);
      expect(await send(etag, "refused")).toMatchObject({
        status: 422,
        body: { type: expect.stringMatching(/\/errors\/idempotency-key-reused$/) },
      });
    });
  },
);

test.each([
  ["PATCH", null],
  ["PUT", "/customers/by-external-id/user_1"],
])(
  "a %s returns the ETag of the new version, so that changes can follow each other without a read",
  async (method, other) => {
    const tenant = await newTenant();
    const path = await made(tenant, "/customers", { name: "Ada", externalId: "user_1" });
    let etag = etagOf(await call(tenant, "GET", path));
    for (const name of ["Grace", "Eve", "Eve"]) {
      const reply = await call(tenant, method, other ?? path, { name }, ifMatch(etag));
      expect(reply.status).toBe(200);
      etag = etagOf(reply);
      expect(etag).toBe(etagOf(await call(tenant, "GET", path)));
    }
  },
);

test("a PUT that creates a customer returns its ETag", async () => {
  const tenant = await newTenant();
  const created = await call(tenant, "PUT", "/customers/by-external-id/user_1", { name: "Ada" });
  expect(created.status).toBe(201);
  const read = await call(tenant, "GET", `/customers/${created.body.id}`);
  expect(etagOf(created)).toBe(etagOf(read));
});

test("412 for a conversation that has got a message since, and for a compressed version that is old", async () => {
  const tenant = await newTenant();
  const large = { a: "x".repeat(500), b: "y".repeat(500), c: "z".repeat(500) };
  const path = await made(tenant, "/conversations", { channelId: "web", metadata: large });
  const packed = etagOf(await call(tenant, "GET", path, undefined, { "accept-encoding": "gzip" }));
  expect(packed).toMatch(/^W\//);
  const first = await call(tenant, "PATCH", path, { subject: "A" }, ifMatch(packed));
  expect(first.status).toBe(200);
  expect((await call(tenant, "PATCH", path, { subject: "B" }, ifMatch(packed))).status).toBe(412);

  await call(tenant, "POST", `${path}/messages`, { text: "Hello" });
  const late = await call(tenant, "PATCH", path, { subject: "B" }, ifMatch(etagOf(first)));
  expect(late.status).toBe(412);
});

test("412 for a PUT with If-Match if the customer does not exist, also with *", async () => {
  const tenant = await newTenant();
  for (const version of ["*", '"a"']) {
    const reply = await call(
      tenant,
      "PUT",
      "/customers/by-external-id/user_1",
      { name: "Ada" },
      ifMatch(version),
    );
    expect(reply.status).toBe(412);
  }
  expect((await call(tenant, "GET", "/customers")).body.data).toEqual([]);
});

test("404 rather than 412 for a resource of another tenant or environment, and for a missing one", async () => {
  const tenant = await newTenant();
  const path = await made(tenant, "/customers", { name: "Ada" });
  const etag = etagOf(await call(tenant, "GET", path));
  for (const other of [await newTenant(), await newKey(tenant, { environment: "live" })])
    for (const version of [etag, "*", '"other"'])
      expect((await call(other, "PATCH", path, { name: "Eve" }, ifMatch(version))).status).toBe(
        404,
      );
});
