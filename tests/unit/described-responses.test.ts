import { expect, test } from "vitest";
import { openApiDocument } from "@/lib/api/openapi";
import { requireDescribed } from "../support/described-responses";

// The check that every API test relies on must be able to fail.

const { paths, components } = openApiDocument({
  serverUrl: "http://localhost:3000",
  errorBase: "http://localhost:3000/docs",
});
const customer = paths["/v1/public/customers"]?.post?.responses["201"]?.content?.[
  "application/json"
]?.example as Record<string, unknown>;
const headers = {
  "content-type": "application/json",
  ...Object.fromEntries(
    Object.entries(components.headers)
      .filter(([name]) => /^X-Req|Rate/.test(name))
      .map(([name, { example }]) => [name, String(example)]),
  ),
};
const exchange = {
  method: "POST",
  path: "/v1/public/customers",
  requestBody: '{"name":"Ada"}',
  status: 201,
  headers: new Headers(headers),
  body: customer,
};
const problemOf = (kind: string) => ({
  ...exchange,
  status: 409,
  headers: new Headers({ ...headers, "content-type": "application/problem+json" }),
  body: {
    ...(components.examples.conflict?.value as object),
    type: `http://localhost:3000/docs/errors/${kind}`,
  },
});

test("a response that matches its description passes", () => {
  expect(() => requireDescribed(exchange)).not.toThrow();
  expect(() => requireDescribed(problemOf("conflict"))).not.toThrow();
});

test.each<[string, Partial<typeof exchange>, RegExp]>([
  [
    "a field that is not described",
    { body: { ...customer, tenantId: "ten_1" } },
    /additional properties.*tenantId/,
  ],
  [
    "a field that is missing",
    { body: { ...customer, email: undefined } },
    /required property 'email'/,
  ],
  [
    "a field of another type",
    { body: { ...customer, conversationCount: "1" } },
    /conversationCount must be integer/,
  ],
  [
    "an id of another resource",
    { body: { ...customer, id: "cnv_01KA5V0V7W3Y5Z8J4QX2N6M9TC" } },
    /id must match pattern/,
  ],
  [
    "an invalid time",
    { body: { ...customer, createdAt: "yesterday" } },
    /createdAt must match format/,
  ],
  ["a status that is not described", { status: 200 }, /knows no status 200/],
  [
    "another content type",
    { headers: new Headers({ ...headers, "content-type": "text/html" }) },
    /content type is text\/html/,
  ],
  [
    "a header that is missing",
    { headers: new Headers({ "content-type": "application/json" }) },
    /header X-Request-Id is missing/,
  ],
  [
    "a header with a wrong value",
    { headers: new Headers({ ...headers, "X-RateLimit-Limit": "many" }) },
    /X-RateLimit-Limit/,
  ],
  [
    "an accepted body that the document forbids",
    { requestBody: '{"name":1}' },
    /request's body\/name/,
  ],
  [
    "a kind of problem that the operation does not name",
    problemOf("conversation-closed"),
    /add "conversation-closed"/,
  ],
  [
    "a problem at an unknown path",
    { ...problemOf("not-found"), path: "/v1/public/nothing", body: {} },
    /required property/,
  ],
])("%s is found", (_what, difference, finding) => {
  expect(() => requireDescribed({ ...exchange, ...difference })).toThrow(finding);
});
