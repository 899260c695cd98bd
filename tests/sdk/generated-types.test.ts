import { expect, test } from "vitest";
import { openApiDocument } from "@/lib/api/openapi";
import { errorKinds } from "@/lib/platform/errors";
import { generatePython } from "@/sdk/scripts/python-generator";
import { generateTypes } from "@/sdk/scripts/type-generator";
import { errorClasses, toApiError } from "@/sdk/src/to-api-error";

const document = openApiDocument({
  serverUrl: "https://parlance.example",
  errorBase: "https://parlance.example/docs",
});

test("the types of the client match the OpenAPI document (npm run sdk:types updates them)", async () => {
  await expect(generateTypes(document)).toMatchFileSnapshot("../../sdk/src/generated/types.ts");
});

test.each(Object.entries(generatePython(document, Object.keys(errorKinds))))(
  "%s of the Python client matches the OpenAPI document (npm run sdk:types updates it)",
  async (file, text) => {
    await expect(text).toMatchFileSnapshot(`../../sdk-python/src/parlance/_generated/${file}`);
  },
);

test("requests accept Date and undefined, responses contain neither", () => {
  const fields = {
    type: "object",
    description: "Two lines\nof */ text.",
    properties: {
      at: { type: ["string", "null"], format: "date-time" },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["tags"],
  };
  const types = generateTypes({
    paths: {
      "/v1/public/things": {
        post: {
          operationId: "createThing",
          requestBody: {
            content: {
              "application/json": { schema: { $ref: "#/components/schemas/CreateThingBody" } },
            },
          },
          responses: {
            "201": {
              content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
            },
          },
        },
      },
    },
    components: { schemas: { CreateThingBody: fields, Thing: fields, Unused: fields } },
  });
  const comment = "/**\n * Two lines\n * of *\\/ text.\n */\n";
  expect(types).toContain(
    `${comment}export type CreateThingBody = {\n  at?: string | Date | null | undefined;\n  tags: readonly string[];\n};`,
  );
  expect(types).toContain(
    `${comment}export type Thing = {\n  at?: string | null;\n  tags: string[];\n};`,
  );
  expect(types).toContain(
    'createThing: {\n    route: "POST /things";\n    query: undefined;\n    body: CreateThingBody;\n    response: Thing;',
  );
  expect(types).not.toContain("Unused");
});

test("a schema that the generator does not understand stops it", () => {
  const schema: object = { prefixItems: [{ type: "string" }] };
  const operation = {
    operationId: "getThing",
    responses: { "200": { content: { "application/json": { schema } } } },
  };
  expect(() => generateTypes({ paths: { "/v1/public/things": { get: operation } } })).toThrow(
    "does not know prefixItems",
  );
});

test("each kind of error has its own class and name", () => {
  const kinds = Object.keys(errorKinds);
  const names = kinds.map((kind) => {
    const type = `https://parlance.example/docs/errors/${kind}`;
    const error = toApiError(new Response(null, { status: 400 }), { type, detail: "" }, "");
    expect(error.name).toBe(error.constructor.name);
    return error.name;
  });
  expect(names.toSorted()).toEqual(Object.keys(errorClasses).toSorted());
});
