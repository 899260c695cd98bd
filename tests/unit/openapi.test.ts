import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectralCore from "@stoplight/spectral-core";
import spectralRulesets from "@stoplight/spectral-rulesets";
import { describe, expect, test } from "vitest";
import { openApiDocument } from "@/lib/api/openapi";
import { routes } from "@/lib/api/routes";
import { scopes } from "@/lib/api-keys/scopes";
import { errorKinds } from "@/lib/errors";
import { eventTypes } from "@/lib/events/catalogue";

const document = openApiDocument({ serverUrl: "https://api.parlance.test", errorBase: "https://api.parlance.test/docs" });
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe("completeness", () => {
  test("every route file below app/v1/public is listed in lib/api/routes.ts, and so described", () => {
    const files = readdirSync("app/v1/public", { recursive: true, encoding: "utf8" }).filter((file) => path.basename(file) === "route.ts");
    const described = files.map((file) => `/v1/public/${path.dirname(file).replaceAll("[", "{").replaceAll("]", "}")}`);

    expect(files.length).toBeGreaterThan(5);
    expect(Object.keys(routes).toSorted()).toEqual(described.toSorted());
    const listed = readFileSync("lib/api/routes.ts", "utf8");
    for (const file of files) expect(listed).toContain(`@/app/v1/public/${file.replace(/\.ts$/, "")}"`);
  });

  test("every method that a route file exports is described, under an operationId that no other has", () => {
    const exported = Object.entries(routes).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted()).toEqual(exported.toSorted());

    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  });

  test("every operation has a scope, the headers of the rate limit, an Idempotency-Key where it changes, and an example everywhere", () => {
    for (const { path, method, operation } of operations) {
      const name = `${method} ${path}`;
      expect([name, scopes.some((scope) => scope === operation["x-required-scope"])]).toEqual([name, true]);
      const [success] = Object.entries(operation.responses).find(([status]) => status.startsWith("2")) ?? [];
      expect([name, Object.keys(operation.responses[success ?? ""]?.headers ?? {})]).toEqual([
        name,
        expect.arrayContaining(["X-Request-Id", "RateLimit", "RateLimit-Policy", "X-RateLimit-Reset"]),
      ]);
      const takesKey = JSON.stringify(operation.parameters ?? []).includes("IdempotencyKey");
      expect([name, takesKey]).toEqual([name, method !== "get"]);
      for (const [status, { content }] of Object.entries(operation.responses)) {
        for (const { example, examples } of Object.values(content ?? {})) {
          expect([name, status, example !== undefined || Object.keys(examples ?? {}).length > 0]).toEqual([name, status, true]);
        }
      }
    }
  });

  test("every kind of problem has an example with its own status, and every event its place in `webhooks`", () => {
    const { "method-not-allowed": _, "expectation-failed": __, ...kinds } = errorKinds;
    expect(Object.keys(document.components.examples).toSorted()).toEqual(Object.keys(kinds).toSorted());
    for (const [kind, { status }] of Object.entries(kinds)) {
      expect(document.components.examples[kind]?.value).toMatchObject({ status, type: `https://api.parlance.test/docs/errors/${kind}` });
    }
    expect(Object.keys(document.webhooks)).toEqual([...eventTypes]);
  });
});

describe("rules", () => {
  test("Redocly's recommended rules find nothing", async () => {
    const config = await createConfig({
      extends: ["recommended"],
      rules: {
        // The document describes a service that one calls; it is not itself something that one may copy and change.
        "info-license": "off",
      },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([]);
  });

  test("Spectral's recommended rules for OpenAPI find nothing", async () => {
    const spectral = new spectralCore.Spectral();
    spectral.setRuleset({ extends: [[spectralRulesets.oas as never, "recommended"]] });
    const found = await spectral.run(JSON.stringify(document));
    // The example of /event-types holds events beside their schemas; the rule takes that pair for a schema with an example.
    const problems = found.filter(
      ({ code, path }) => !(code === "oas3-valid-schema-example" && path[1] === "/v1/public/event-types" && path.includes("example")),
    );
    expect(problems.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`)).toEqual([]);
  });
});
