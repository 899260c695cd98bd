import { beforeAll, expect, test } from "vitest";
import type { Declaration } from "@/lib/api/operation";
import { routes } from "@/lib/api/routes";
import { idPrefixes } from "@/lib/resources/ids";
import { call, newTenant, type TestTenant } from "../support/api";

/** Operations with well-formed ids in their paths. */
function operationsWhere(isWanted: (method: string, declaration: Declaration) => boolean) {
  return Object.entries(routes).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { declaration }]) => isWanted(method, declaration))
      .map(([method, { declaration }]) => ({
        operationId: declaration.operationId,
        method,
        path: path
          .replace("/v1/public", "")
          .replaceAll(
            /\{(\w+)Id\}/g,
            (_all, kind) => `${idPrefixes[kind as keyof typeof idPrefixes]}_${"0".repeat(26)}`,
          ),
        readable: Object.keys((declaration.response as { shape?: object }).shape ?? {}),
        writable: Object.keys((declaration.body as { shape?: object } | undefined)?.shape ?? {}),
      })),
  );
}

const operations = operationsWhere((_method, { body }) => body !== undefined);

let tenant: TestTenant;

beforeAll(async () => {
  tenant = await newTenant();
});

test("every operation with a body is here", () => {
  expect(operations.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(["createConversation", "updateAgent", "recoverWebhookDeliveries"]),
  );
  expect(operations.length).toBeGreaterThanOrEqual(13);
});

test.each(operations)(
  "422 for unknown, read-only and foreign fields of $operationId, all in one response",
  async ({ method, path, readable, writable }) => {
    const readOnly = readable.filter((field) => !writable.includes(field));
    const unknown = ["tenantId", "nonsense", "a/b~c"].filter((field) => !readable.includes(field));
    const body = Object.fromEntries([...readOnly, ...unknown].map((field) => [field, "x"]));

    const reply = await call(tenant, method, path, body);

    expect(reply.status).toBe(422);
    const found = new Map(
      reply.body.errors.map(({ pointer, location, code }: Record<string, string>) => [
        pointer,
        `${location} ${code}`,
      ]),
    );
    const pointerTo = (field: string) => `/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    for (const field of readOnly)
      expect([field, found.get(pointerTo(field))]).toEqual([field, "body read_only"]);
    for (const field of unknown)
      expect([field, found.get(pointerTo(field))]).toEqual([field, "body unknown_field"]);
  },
);

const bodiless = operationsWhere(
  (method, declaration) => method !== "GET" && !declaration.body && !declaration.upload,
);

test("every change without a body is here", () => {
  expect(bodiless.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(["eraseCustomer", "deleteCustomer", "resendWebhookDelivery"]),
  );
});

test.each(bodiless)("422 for fields sent to $operationId, which has no body", async (operation) => {
  const { method, path } = operation;
  const reply = await call(tenant, method, path, { dryRun: true, "a/b": null });
  expect([reply.status, reply.body.errors]).toEqual([
    422,
    [
      ["/dryRun", "dryRun"],
      ["/a~1b", "a/b"],
    ].map(([pointer, name]) => ({
      pointer,
      location: "body",
      code: "unknown_field",
      message: `${name} is not a known field; this operation has no body`,
    })),
  ]);
});

test("200 for a deletion with an empty object or null", async () => {
  for (const body of ["", "{}", "null"]) {
    const { id } = (await call(tenant, "POST", "/customers", { name: "Ada" })).body;
    const reply = await call(tenant, "DELETE", `/customers/${id}`, body);
    expect([body, reply.status]).toEqual([body, 200]);
  }
});

test("422 for a deletion or an erasure with a body that is not an object, whatever its type, and nothing is removed", async () => {
  const { id } = (await call(tenant, "POST", "/customers", { name: "Ada" })).body;
  const path = `/customers/${id}`;
  for (const type of ["application/json", "application/x-www-form-urlencoded", "text/plain"])
    for (const body of ['[{"dryRun":true}]', '"dryRun"', "5", "dryRun=true", '{"dryRun": true'])
      for (const [method, end] of [
        ["DELETE", ""],
        ["POST", "/erase"],
      ] as const) {
        const reply = await call(tenant, method, `${path}${end}`, body, { "content-type": type });
        expect([type, body, method, reply.status, reply.body.errors]).toEqual([
          ...[type, body, method, 422],
          [
            {
              pointer: "",
              location: "body",
              code: "invalid_type",
              message: "The body must be empty, or an empty object; this operation has no body",
            },
          ],
        ]);
      }
  expect((await call(tenant, "GET", path)).body).toMatchObject({ name: "Ada", erasedAt: null });
});

test("422 for an erasure and a cascade in the body, and nothing is removed", async () => {
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
  const path = `/customers/${customer.id}`;
  await call(tenant, "POST", "/conversations", { channelId: "web", customerId: customer.id });

  const erased = await call(tenant, "POST", `${path}/erase`, { dryRun: true });
  const deleted = await call(tenant, "DELETE", path, { cascade: true });

  expect([erased.status, deleted.status]).toEqual([422, 422]);
  expect(deleted.body.errors).toEqual([
    {
      pointer: "/cascade",
      location: "body",
      code: "unknown_field",
      message: "cascade is a query parameter, not a field of the body",
    },
  ]);
  expect((await call(tenant, "GET", path)).body).toMatchObject({ name: "Ada", erasedAt: null });
});
