import { expect, test } from "vitest";
import { type Deprecation, minimumNoticeDays } from "@/lib/api/deprecation";
import { openApiDocument } from "@/lib/api/openapi";
import { operation } from "@/lib/api/operation";
import { routes } from "@/lib/api/routes";
import { env } from "@/lib/platform/env";
import { newTenant } from "../support/api";

const path = "/v1/public/account";
const { declaration } = routes[path]?.GET ?? expect.fail("the operation is missing");
const deprecated: Deprecation = {
  since: "2027-01-01",
  sunset: "2028-01-01",
  instead: "Use `GET /v1/public/usage`.",
};
const { key } = await newTenant();
const headersOf = async (handler: ReturnType<typeof operation>, query = "") => {
  const request = new Request(`http://localhost:3000${path}${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { status, headers } = await handler(request, { params: Promise.resolve({}) });
  const { deprecation, sunset, link } = Object.fromEntries(headers);
  return { status, deprecation, sunset, link };
};

test("200 and 422 of an operation that is declared as deprecated say since when, until when, and where to read about it", async () => {
  const handler = operation({ ...declaration, deprecated });
  const announced = {
    deprecation: "@1798761600",
    sunset: "Sat, 01 Jan 2028 00:00:00 GMT",
    link: `<${env().APP_URL}/docs/versioning>; rel="deprecation"; type="text/html"`,
  };

  expect(await headersOf(handler)).toEqual({ status: 200, ...announced });
  expect(await headersOf(handler, "?unknown=1")).toEqual({ status: 422, ...announced });
});

test("200 of any other operation has none of these headers", async () => {
  expect(await headersOf(operation(declaration))).toEqual({
    status: 200,
    deprecation: undefined,
    sunset: undefined,
    link: undefined,
  });
});

test("the OpenAPI document marks the operation, and describes its headers and its replacement", () => {
  const urls = { serverUrl: "http://localhost:3000", errorBase: "http://localhost:3000/docs" };
  Object.assign(declaration, { deprecated });
  try {
    const described = openApiDocument(urls).paths[path]?.get;
    expect(described?.deprecated).toBe(true);
    expect(described?.description).toContain(deprecated.instead);
    expect(described?.responses["200"]?.headers).toMatchObject({
      Deprecation: { required: true },
      Sunset: { required: true },
    });
  } finally {
    delete (declaration as { deprecated?: Deprecation }).deprecated;
  }
  expect(openApiDocument(urls).paths[path]?.get).not.toHaveProperty("deprecated");
});

test("every deprecated operation gives a year's notice", () => {
  const all = Object.values(routes).flatMap((methods) => Object.values(methods));
  const tooShort = all.flatMap(({ declaration: { operationId, deprecated: announced } }) => {
    if (!announced) return [];
    const days = (Date.parse(announced.sunset) - Date.parse(announced.since)) / 86_400_000;
    return days < minimumNoticeDays ? [operationId] : [];
  });
  expect(tooShort).toEqual([]);
});
