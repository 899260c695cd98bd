import { expect, test } from "vitest";
import { openApiDocument } from "@/lib/api/openapi";
import { errorKinds } from "@/lib/errors";
import { generateTypes } from "@/sdk/scripts/type-generator";
import { errorClasses } from "@/sdk/src/to-api-error";

test("the client's types are those of the OpenAPI document (npm run sdk:types brings them up to date)", async () => {
  const document = openApiDocument({ serverUrl: "https://parlance.example", errorBase: "https://parlance.example/docs" });
  await expect(generateTypes(document)).toMatchFileSnapshot("../../sdk/src/generated/types.ts");
});

test("each kind of error has a class of its own, with its own name", () => {
  expect(Object.keys(errorClasses).sort()).toEqual(Object.keys(errorKinds).sort());
  const response = new Response(null, { status: 400 });
  const names = Object.entries(errorClasses).map(([kind, Class]) => new Class(kind, {}, response).name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(Object.values(errorClasses).map(({ name }) => name));
});
