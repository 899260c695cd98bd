import { beforeAll, expect, test } from "vitest";
import { call, newTenant, type TestTenant } from "../support/api";

let tenant: TestTenant;

beforeAll(async () => {
  tenant = await newTenant();
});

test.each([
  [
    "/conversations?status=bogus",
    "/status",
    "status must be OPEN, PENDING, SNOOZED, RESOLVED or CLOSED",
  ],
  [
    "/conversations?status=OPEN,bogus",
    "/status",
    "status must be OPEN, PENDING, SNOOZED, RESOLVED or CLOSED",
  ],
  ["/conversations?order=up", "/order", "order must be asc or desc"],
  [
    "/conversations?updatedSince=yesterday",
    "/updatedSince",
    "updatedSince must be a time with its offset, for example 2026-01-31T09:30:00Z",
  ],
  ["/conversations?limit=0", "/limit", "limit must be a whole number from 1 to 100"],
  ["/conversations?tag=", "/tag", "tag must not be empty"],
  [
    "/conversations?statsu=OPEN",
    "/statsu",
    "statsu is not a known parameter; did you mean status?",
  ],
  [
    `/conversations?metadata[plan]=${"x".repeat(501)}`,
    "/metadata/plan",
    "metadata.plan must have at most 500 characters",
  ],
  [
    `/conversations?${["a", "b", "c", "d", "e", "f"].map((key) => `metadata[${key}]=1`).join("&")}`,
    "/metadata",
    "metadata must have at most 5 keys",
  ],
  [
    "/conversations?metadata[plan]=1&metadata[plan]=2",
    "/metadata[plan]",
    "metadata[plan] must not be repeated",
  ],
  [
    "/conversations?metadata=gold",
    "/metadata",
    "metadata must be written as `metadata[key]=value`",
  ],
  [
    "/conversations?metadata=gold&metadata[plan]=gold",
    "/metadata",
    "metadata must be written as `metadata[key]=value`",
  ],
  ["/agents?metadata[plan]=gold", "/metadata", "metadata is not a known parameter"],
  ["/customers?q=", "/q", "q must have at least one word"],
  ["/customers?q=%20", "/q", "q must have at least one word"],
  [`/customers?q=${"x".repeat(201)}`, "/q", "q must have at most 200 characters"],
  ["/conversations?nonsense=1", "/nonsense", "nonsense is not a known parameter"],
  ["/usage?form=2026-01-01", "/form", "form is not a known parameter; did you mean from?"],
])("422 in plain words for GET %s", async (path, pointer, message) => {
  const { status, body } = await call(tenant, "GET", path);
  expect(status).toBe(422);
  expect(body.errors).toMatchObject([{ pointer, location: "query", message }]);
  expect(body.detail).toBe(message.endsWith("?") ? message : `${message}.`);
});

test.each([
  [{ mesage: "Hi" }, "/mesage", "mesage is not a known field; did you mean message?"],
  [{ channel_id: "x" }, "/channel_id", "channel_id is not a known field; did you mean channelId?"],
  [
    { message: { text: "Hi", autor: {} } },
    "/message/autor",
    "message.autor is not a known field; did you mean message.author?",
  ],
  [
    { customer: { name: "Ada", mail: "a@b.c" } },
    "/customer/mail",
    "customer.mail is not a known field; did you mean customer.email?",
  ],
  [{ xy: 1 }, "/xy", "xy is not a known field"],
  [
    { customer: {} },
    "/customer",
    "customer must have at least one of externalId, email, phone, name",
  ],
  [
    { metadata: { a: null } },
    "/metadata/a",
    "metadata.a must not be null: only in a PATCH does null delete a key",
  ],
  [{ subject: 1 }, "/subject", "subject must be a string"],
  [{ subject: "x".repeat(201) }, "/subject", "subject must have at most 200 characters"],
  [{ priority: "ASAP" }, "/priority", "priority must be LOW, NORMAL, HIGH or URGENT"],
  [{ tags: "x" }, "/tags", "tags must be a list"],
  [{ message: "" }, "/message", "message must not be empty"],
  [
    { message: { text: "Hi", author: { type: "BOT" } } },
    "/message/author/type",
    "message.author.type must be CUSTOMER, USER, AGENT, API or SYSTEM",
  ],
  [{ tags: ["a", "a"] }, "/tags/1", "tags.1 must not be repeated"],
  [{ customerId: "ada" }, "/customerId", "customerId must be an id that starts with cus_"],
])("422 in plain words for a conversation with %j", async (fields, pointer, message) => {
  const { status, body } = await call(tenant, "POST", "/conversations", {
    channelId: "web",
    ...fields,
  });
  expect(status).toBe(422);
  expect(body.errors).toMatchObject([{ pointer, location: "body", message }]);
});

test("422 in plain words for a metadata key that is too long", async () => {
  const metadata = { ["k".repeat(41)]: 1 };
  const { body } = await call(tenant, "POST", "/conversations", { channelId: "web", metadata });
  expect(body.errors[0].message).toMatch(
    / must have another name: a name must have at most 40 characters$/,
  );
});

test("422 in plain words for a body that must be one value", async () => {
  const { body } = await call(tenant, "POST", "/customers", {});
  expect(body.errors).toEqual([
    {
      pointer: "",
      location: "body",
      code: "custom",
      message: "The body must have at least one of externalId, email, phone, name",
    },
  ]);
});

test("422 for an address in a private network names the networks that the installation allows", async () => {
  const { status, body } = await call(tenant, "POST", "/webhooks", {
    url: "https://10.0.0.1/",
    events: ["*"],
  });
  expect(status).toBe(422);
  expect(body.detail).toContain(
    "or in a network that this installation allows: 127.0.0.0/8, ::1/128",
  );
});
