import { describe, expect, test } from "vitest";
import { call, newKey, newTenant, patiently, type TestTenant } from "../support/api";
import { eventsInOrder } from "../support/feed";

test("201 returns the complete customer with its email in lower case, and GET returns the same", async () => {
  const tenant = await newTenant();
  const created = await call(tenant, "POST", "/customers", {
    externalId: "c-1",
    name: "Ada",
    email: "Ada@Example.COM",
    phone: "+4930123456",
    locale: "de-AT",
  });

  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    id: expect.stringMatching(/^cus_/),
    environment: "test",
    externalId: "c-1",
    name: "Ada",
    email: "ada@example.com",
    phone: "+4930123456",
    locale: "de-AT",
    metadata: {},
    conversationCount: 0,
    erasedAt: null,
    createdAt: expect.any(String),
    updatedAt: created.body.createdAt,
  });
  expect((await call(tenant, "GET", `/customers/${created.body.id}`)).text).toBe(created.text);
});

test("409 conflict with existingId for an externalId that is taken, also under 10 concurrent requests", async () => {
  const tenant = await newTenant();
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => call(tenant, "POST", "/customers", { externalId: "c-1" })),
  );

  const [created, ...others] = replies.filter(({ status }) => status === 201);
  expect(others).toEqual([]);
  const conflicts = replies.filter(({ status }) => status === 409);
  expect(conflicts).toHaveLength(9);
  for (const { body } of conflicts)
    expect(body).toMatchObject({
      type: expect.stringMatching(/\/errors\/conflict$/),
      existingId: created?.body.id,
    });
  expect((await call(tenant, "GET", "/events")).body.data).toHaveLength(1);
});

test("200 merges a patch, clears fields with null, and raises one event with the previous values", async () => {
  const tenant = await newTenant();
  const { body } = await call(tenant, "POST", "/customers", {
    externalId: "c-1",
    name: "Ada",
    metadata: { a: 1, b: 2 },
  });

  const patched = await call(tenant, "PATCH", `/customers/${body.id}`, {
    name: null,
    email: "a@example.com",
    metadata: { a: null, c: 3 },
  });
  const unchanged = await call(tenant, "PATCH", `/customers/${body.id}`, {
    email: "a@example.com",
    metadata: { c: 3 },
  });

  expect(patched.body).toMatchObject({
    externalId: "c-1",
    name: null,
    email: "a@example.com",
    metadata: { b: 2, c: 3 },
  });
  expect(unchanged.text).toBe(patched.text);
  const events = (await call(tenant, "GET", "/events?type=customer.updated")).body.data;
  expect(events).toHaveLength(1);
  expect(events[0].data).toEqual({
    object: patched.body,
    previousAttributes: { name: "Ada", email: null, metadata: { a: 1, b: 2 } },
  });
});

test("409 for a patch onto another's externalId, 200 onto its own", async () => {
  const tenant = await newTenant();
  const first = (await call(tenant, "POST", "/customers", { externalId: "c-1" })).body;
  const second = (await call(tenant, "POST", "/customers", { externalId: "c-2" })).body;
  expect(
    await call(tenant, "PATCH", `/customers/${second.id}`, { externalId: "c-1" }),
  ).toMatchObject({
    status: 409,
    body: { existingId: first.id },
  });
  expect(
    (await call(tenant, "PATCH", `/customers/${second.id}`, { externalId: "c-2" })).status,
  ).toBe(200);
});

test.each([
  ["nothing that tells who it is", {}, ""],
  ["only nulls", { name: null, email: null }, ""],
  ["an invalid email address", { email: "ada" }, "/email"],
  ["no E.164 number", { phone: "030 123" }, "/phone"],
  ["no language tag", { name: "Ada", locale: "german_" }, "/locale"],
  ["a read-only field", { name: "Ada", conversationCount: 3 }, "/conversationCount"],
  ["an unknown field", { name: "Ada", age: 3 }, "/age"],
])("422 for %s", async (_what, body, pointer) => {
  const tenant = await newTenant();
  expect(await call(tenant, "POST", "/customers", body)).toMatchObject({
    status: 422,
    body: { errors: [{ pointer, location: "body" }] },
  });
});

test("422 for a patch that leaves the customer without any identifying field", async () => {
  const tenant = await newTenant();
  const { body } = await call(tenant, "POST", "/customers", { name: "Ada" });
  expect((await call(tenant, "PATCH", `/customers/${body.id}`, { name: null })).status).toBe(422);
  expect((await call(tenant, "GET", `/customers/${body.id}`)).text).toBe(JSON.stringify(body));
});

test("200 filters by email, phone and externalId", async () => {
  const tenant = await newTenant();
  const ada = (
    await call(tenant, "POST", "/customers", {
      externalId: "c-1",
      email: "ada@example.com",
      phone: "+4930123456",
    })
  ).body;
  await call(tenant, "POST", "/customers", {
    externalId: "c-2",
    email: "eve@example.com",
    phone: "+4930123457",
  });
  for (const query of [
    "email=ADA@example.com",
    "phone=%2B4930123456",
    "externalId=c-1",
    "email=ada@example.com&externalId=c-1",
  ]) {
    expect((await call(tenant, "GET", `/customers?${query}`)).body.data).toEqual([ada]);
  }
  expect(
    (await call(tenant, "GET", "/customers?email=ada@example.com&externalId=c-2")).body,
  ).toEqual({ data: [] });
});

test("200 finds customers by the starts of words without case and accents, and by metadata, in pages", async () => {
  const [tenant, stranger] = await Promise.all([newTenant(), newTenant()]);
  const create = async (body: object) => (await call(tenant, "POST", "/customers", body)).body.id;
  const angstrom = await create({
    name: "Tomás Ångström",
    email: "tomas@voss-optik.de",
    phone: "+493012345678",
    metadata: { plan: "gold", seats: 3 },
  });
  const ada = await create({ name: "Ada Lovelace", externalId: "u_8412", metadata: { seats: 3 } });
  const find = async (query: string, caller = tenant) =>
    (await call(caller, "GET", `/customers?${query}`)).body.data.map(
      ({ id }: { id: string }) => id,
    );

  expect(await find("q=TOMAS%20ang")).toEqual([angstrom]);
  expect(await find("q=optik")).toEqual([angstrom]);
  expect(await find("q=030%20123")).toEqual([angstrom]);
  expect(await find("q=u_84")).toEqual([ada]);
  expect(await find("q=velace")).toEqual([]);
  expect(await find("metadata[seats]=3")).toEqual([ada, angstrom]);
  expect(await find("metadata[seats]=3&order=asc&limit=1")).toEqual([angstrom]);
  expect(await find(`metadata[seats]=3&cursor=${ada}`)).toEqual([angstrom]);
  expect(await find("metadata[plan]=gold&q=tom&email=tomas@voss-optik.de")).toEqual([angstrom]);
  expect(await find("metadata[plan]=gold&q=ada")).toEqual([]);
  expect(await find("q=ada", stranger)).toEqual([]);
  expect(await find("metadata[seats]=3", stranger)).toEqual([]);

  const last = await create({ name: "Adam" });
  const first = await call(tenant, "GET", "/customers?q=ad&limit=1");
  expect(first.body).toMatchObject({ data: [{ id: last }], nextCursor: last });
  await create({ name: "Adele" });
  expect(await find(`q=ad&limit=1&cursor=${last}`)).toEqual([ada]);
  expect(await find("q=ad&order=asc&limit=2")).toEqual([ada, last]);
});

test("200 with customers whose metadata has a number that JSON shows with an exponent", async () => {
  const tenant = await newTenant();
  for (const value of [1e-7, -1.25e-9, 5e-324, "1e-7"]) {
    const { body } = await call(tenant, "POST", "/customers", { name: "Ada", metadata: { value } });
    const conversation = { channelId: "web", metadata: { value } };
    const { body: created } = await call(tenant, "POST", "/conversations", conversation);
    const query = new URLSearchParams({ "metadata[value]": String(value) });
    const first = async (path: string) => (await call(tenant, "GET", path)).body.data[0];
    expect(await first(`/customers?${query}`)).toEqual(body);
    expect(await first(`/customers?${query}&q=ada`)).toEqual(body);
    expect(await first(`/conversations?${query}`)).toEqual(created);
  }
});

test("200 changes nothing when -0 replaces 0 in metadata", async () => {
  const tenant = await newTenant();
  const { body } = await call(tenant, "POST", "/customers", { name: "Ada", metadata: { n: 0 } });
  const patched = await call(tenant, "PATCH", `/customers/${body.id}`, '{"metadata":{"n":-0.0}}');
  expect(patched.body).toEqual(body);
  expect(await eventsInOrder(tenant)).toHaveLength(1);
});

test("409 for the others, when several customers take one externalId at the same time", async () => {
  const tenant = await newTenant();
  const customers = await Promise.all(
    [1, 2, 3, 4].map(
      async (index) => (await call(tenant, "POST", "/customers", { name: String(index) })).body,
    ),
  );

  const replies = await Promise.all(
    customers.map(({ id }) => call(tenant, "PATCH", `/customers/${id}`, { externalId: "c-1" })),
  );

  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  const taken = replies.find(({ status }) => status === 200)?.body.id;
  for (const { status, body } of replies) if (status === 409) expect(body.existingId).toBe(taken);
});

describe("creating or changing a customer by externalId", () => {
  const path = (externalId: string) =>
    `/customers/by-external-id/${encodeURIComponent(externalId)}`;
  const put = (tenant: TestTenant, externalId: string, body: object, key?: string) =>
    call(
      tenant,
      "PUT",
      path(externalId),
      body,
      key === undefined ? {} : { "idempotency-key": key },
    );
  const typesOfEvents = async (tenant: TestTenant) =>
    (await eventsInOrder(tenant)).map(({ type }) => type);

  test("201 creates it, 200 changes it like a PATCH, and a change of nothing raises no event", async () => {
    const tenant = await newTenant();
    const created = await call(tenant, "PUT", "/customers/by-external-id/user_1", {
      name: "Ada",
      metadata: { a: 1, b: 2, gone: null },
    });
    const changed = await put(tenant, "user_1", {
      name: null,
      email: "Ada@example.com",
      metadata: { a: null, c: 3 },
    });
    const unchanged = await put(tenant, "user_1", { metadata: { c: 3 } });

    expect(created).toMatchObject({
      status: 201,
      body: { externalId: "user_1", name: "Ada", metadata: { a: 1, b: 2 } },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        id: created.body.id,
        externalId: "user_1",
        name: null,
        email: "ada@example.com",
        metadata: { b: 2, c: 3 },
      },
    });
    expect([unchanged.status, unchanged.text]).toEqual([200, changed.text]);
    expect((await call(tenant, "GET", `/customers/${created.body.id}`)).text).toBe(changed.text);
    const events = await eventsInOrder(tenant);
    expect(events).toMatchObject([
      { type: "customer.created", data: { object: created.body } },
      {
        type: "customer.updated",
        data: {
          object: changed.body,
          previousAttributes: { name: "Ada", email: null, metadata: { a: 1, b: 2 } },
        },
      },
    ]);
  });

  test("201 for one and 200 for 49 of 50 concurrent requests, which create one customer and lose no change", async () => {
    const tenant = await newTenant();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        patiently(() => put(tenant, "user_1", { metadata: { [`k${index}`]: index } })),
      ),
    );

    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(49);
    const { data } = (await call(tenant, "GET", "/customers")).body;
    expect(data).toHaveLength(1);
    expect(Object.keys(data[0].metadata)).toHaveLength(50);
    const types = await typesOfEvents(tenant);
    expect(types.toSorted()).toEqual([
      "customer.created",
      ...Array.from({ length: 49 }, () => "customer.updated"),
    ]);
  });

  test("one event for 50 concurrent requests with the same content", async () => {
    const tenant = await newTenant();
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => patiently(() => put(tenant, "user_1", { name: "Ada" }))),
    );
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await typesOfEvents(tenant)).toEqual(["customer.created"]);
  });

  test("200 or 201, never an error, while the customer is renamed", async () => {
    const tenant = await newTenant();
    for (let round = 0; round < 10; round++) {
      const { id } = (await put(tenant, "user_1", { name: "Ada" })).body;
      const [renamed, changed] = await Promise.all([
        call(tenant, "PATCH", `/customers/${id}`, { externalId: `old_${round}` }),
        put(tenant, "user_1", { name: "Grace" }),
      ]);
      expect(renamed.status).toBe(200);
      expect(changed.body.externalId).toBe("user_1");
      expect(changed.status).toBe(changed.body.id === id ? 200 : 201);
    }
  });

  test("the status is replayed with the response, and a 201 stays a 201", async () => {
    const tenant = await newTenant();
    const first = await put(tenant, "user_1", { name: "Ada" }, "k1");
    const second = await put(tenant, "user_1", { name: "Grace" }, "k2");
    for (const [reply, name, key] of [
      [first, "Ada", "k1"],
      [second, "Grace", "k2"],
    ] as const) {
      const again = await put(tenant, "user_1", { name }, key);
      expect([again.status, again.text]).toEqual([reply.status, reply.text]);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
    }
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(await typesOfEvents(tenant)).toEqual(["customer.created", "customer.updated"]);
  });

  test("50 concurrent requests with one key create one customer and get 50 equal responses", async () => {
    const tenant = await newTenant();
    const replies = await Promise.all(
      Array.from({ length: 50 }, () =>
        patiently(() => put(tenant, "user_1", { name: "Ada" }, "k")),
      ),
    );
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(201);
  });

  test.each(["a/b", "ä 😀", "%41", "a?b#c&d=e", "+", "...", "x".repeat(255)])(
    "201 stores the externalId %j as it was sent, and the list finds it",
    async (externalId) => {
      const tenant = await newTenant();
      const { status, body } = await put(tenant, externalId, {});
      expect([status, body.externalId]).toEqual([201, externalId]);
      expect((await put(tenant, externalId, {})).body.id).toBe(body.id);
      const found = await call(
        tenant,
        "GET",
        `/customers?externalId=${encodeURIComponent(externalId)}`,
      );
      expect(found.body.data).toEqual([body]);
    },
  );

  test("201 for another tenant and the other environment: each has its own customers", async () => {
    const tenant = await newTenant();
    const first = await put(tenant, "user_1", { name: "Ada" });
    for (const other of [await newTenant(), await newKey(tenant, { environment: "live" })]) {
      const reply = await put(other, "user_1", { name: "Eve" });
      expect(reply.status).toBe(201);
      expect(reply.body.id).not.toBe(first.body.id);
    }
    expect((await call(tenant, "GET", `/customers/${first.body.id}`)).text).toBe(first.text);
  });

  test.each([
    ["an externalId in the body", path("c-1"), { externalId: "c-2" }, "/externalId", "body"],
    ["an externalId that is empty", path(""), {}, "/externalId", "path"],
    ["an externalId that is too long", path("x".repeat(256)), {}, "/externalId", "path"],
    ["an externalId with a NUL character", path("a\0"), {}, "/externalId", "path"],
    ["an invalid field", path("c-1"), { email: "ada" }, "/email", "body"],
    ["an unknown field", path("c-1"), { age: 3 }, "/age", "body"],
    ["too many keys", path("full"), { metadata: { one: 1, more: 2 } }, "/metadata", "body"],
  ])("422 for %s, and nothing is written", async (_what, path, body, pointer, location) => {
    const tenant = await newTenant();
    const metadata = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`k${index}`, 1]));
    await put(tenant, "full", { metadata });
    expect(await call(tenant, "PUT", path, body)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer, location }] },
    });
    expect((await call(tenant, "GET", "/customers")).body.data).toHaveLength(1);
    expect(await typesOfEvents(tenant)).toEqual(["customer.created"]);
  });

  test("404 for a path that is not valid percent-encoded UTF-8, 405 for other methods", async () => {
    const tenant = await newTenant();
    expect((await call(tenant, "PUT", "/customers/by-external-id/%FF", {})).status).toBe(404);
    expect((await call(tenant, "GET", "/conversations/%FF")).status).toBe(404);
    const get = await call(tenant, "GET", path("c-1"));
    expect([get.status, get.headers.get("allow")]).toEqual([405, "PUT"]);
  });
});
