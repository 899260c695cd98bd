import { beforeAll, expect, test } from "vitest";
import { routes } from "@/lib/api/routes";
import { idPrefixes } from "@/lib/resources/ids";
import { call, newTenant, type TestTenant } from "../support/api";

/** Every operation that takes a body, with well-formed ids in its path. */
const operations = Object.entries(routes).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { declaration }]) => declaration.body !== undefined)
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
      writable: Object.keys((declaration.body as { shape?: object }).shape ?? {}),
    })),
);

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
