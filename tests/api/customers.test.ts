import { expect, test } from "vitest";
import { call, newTenant } from "../support/api";

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
