import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectralCore from "@stoplight/spectral-core";
import owaspRuleset from "@stoplight/spectral-owasp-ruleset";
import { describe, expect, test } from "vitest";
import { openApiDocument } from "@/lib/api/openapi";
import { routes } from "@/lib/api/routes";
import { scopes } from "@/lib/api-keys/scopes";
import { eventTypes } from "@/lib/events/event-types";
import { errorKinds } from "@/lib/platform/errors";
import { type JsonSchema, resolveSchema } from "@/lib/platform/openapi";

const document = openApiDocument({
  serverUrl: "https://api.parlance.test",
  errorBase: "https://api.parlance.test/docs",
});
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe("completeness", () => {
  test("every route file below app/v1/public is listed in lib/api/routes.ts, and therefore described", () => {
    const files = readdirSync("app/v1/public", { recursive: true, encoding: "utf8" }).filter(
      (file) => path.basename(file) === "route.ts",
    );
    const described = files.map(
      (file) => `/v1/public/${path.dirname(file).replaceAll("[", "{").replaceAll("]", "}")}`,
    );

    expect(files.length).toBeGreaterThan(5);
    expect(Object.keys(routes).toSorted()).toEqual(described.toSorted());
    const listed = readFileSync("lib/api/routes.ts", "utf8");
    for (const file of files)
      expect(listed).toContain(`@/app/v1/public/${file.replace(/\.ts$/, "")}"`);
  });

  test("every method that a route file exports is described, under an operationId that no other has", () => {
    const exported = Object.entries(routes).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(
      operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(),
    ).toEqual(exported.toSorted());

    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  });

  test("every operation has a scope, the headers of the rate limit, an Idempotency-Key where it changes, and an example everywhere", () => {
    for (const { path, method, operation } of operations) {
      const name = `${method} ${path}`;
      expect([name, scopes.some((scope) => scope === operation["x-required-scope"])]).toEqual([
        name,
        true,
      ]);
      const [success] =
        Object.entries(operation.responses).find(([status]) => status.startsWith("2")) ?? [];
      expect([name, Object.keys(operation.responses[success ?? ""]?.headers ?? {})]).toEqual([
        name,
        expect.arrayContaining([
          "X-Request-Id",
          "RateLimit",
          "RateLimit-Policy",
          "X-RateLimit-Reset",
        ]),
      ]);
      const takesKey = JSON.stringify(operation.parameters ?? []).includes("IdempotencyKey");
      expect([name, takesKey]).toEqual([name, method !== "get"]);
      for (const [status, { content }] of Object.entries(operation.responses)) {
        for (const { example, examples } of Object.values(content ?? {})) {
          expect([
            name,
            status,
            example !== undefined || Object.keys(examples ?? {}).length > 0,
          ]).toEqual([name, status, true]);
        }
      }
    }
  });

  test("every PATCH, PUT and DELETE takes If-Match, for the version that GET returns", () => {
    for (const [path, methods] of Object.entries(routes)) {
      for (const method of ["PATCH", "PUT", "DELETE"] as const) {
        const { operationId, versionOf } = methods[method]?.declaration ?? {};
        if (!operationId) continue;
        expect(versionOf, `versionOf of ${operationId} in its route file`).toBeDefined();
        if (methods.GET) expect(versionOf).toBe(methods.GET.declaration.response);
        const described = JSON.stringify(document.paths[path]?.[method.toLowerCase()]);
        expect(described).toContain("#/components/parameters/IfMatch");
      }
    }
  });

  test("every kind of problem has an example with its own status, and every event its place in `webhooks`", () => {
    const {
      "method-not-allowed": _,
      "expectation-failed": __,
      "invalid-link": ___,
      ...kinds
    } = errorKinds;
    expect(Object.keys(document.components.examples).toSorted()).toEqual(
      Object.keys(kinds).toSorted(),
    );
    for (const [kind, { status }] of Object.entries(kinds)) {
      expect(document.components.examples[kind]?.value).toMatchObject({
        status,
        type: `https://api.parlance.test/docs/errors/${kind}`,
      });
    }
    expect(Object.keys(document.webhooks)).toEqual([...eventTypes]);
  });
});

describe("descriptions and limits", () => {
  const found: { at: string; schema: JsonSchema }[] = [];
  function collect(schema: JsonSchema, at: string): void {
    found.push({ at, schema });
    for (const [name, part] of Object.entries(schema.properties ?? {}))
      collect(part, `${at}.${name}`);
    if (schema.items) collect(schema.items, `${at}[]`);
    if (schema.propertyNames) collect(schema.propertyNames, `${at}<key>`);
    if (typeof schema.additionalProperties === "object")
      collect(schema.additionalProperties, `${at}<value>`);
    for (const [index, part] of (schema.anyOf ?? schema.oneOf ?? []).entries())
      collect(part, `${at}|${index}`);
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) collect(schema, name);
  for (const { path, operation } of operations) {
    for (const parameter of operation.parameters ?? []) {
      if (!("$ref" in parameter))
        collect(
          { description: parameter.description ?? "", ...parameter.schema },
          `${path}?.${parameter.name}`,
        );
    }
  }
  const described = (schema: JsonSchema) =>
    Boolean(resolveSchema(document.components.schemas, schema).description);

  test("every property and parameter is described", () => {
    const properties = found.filter(({ at }) => /\.\w+$/.test(at));
    expect(properties.length).toBeGreaterThan(300);
    expect(properties.filter(({ schema }) => !described(schema)).map(({ at }) => at)).toEqual([]);
  });

  test("every enum has one name, and is inline nowhere but in an event's own type", () => {
    const inline = found.filter(({ at, schema }) => schema.enum && at.includes("."));
    expect(inline.map(({ at }) => at).filter((at) => !/\?\.(status|limit)\[\]$/.test(at))).toEqual(
      [],
    );
  });

  test("every branch of a union of values has a title or a name", () => {
    const branches = found.filter(({ at, schema }) => /\|\d+$/.test(at) && schema.type !== "null");
    const untitled = branches.filter(
      ({ schema }) => !schema.title && !schema.$ref && schema.type !== undefined,
    );
    expect(untitled.map(({ at }) => at)).toEqual([]);
  });

  test("no generated name of a property is the name of another schema, as some generators would have it", () => {
    const names = Object.keys(document.components.schemas);
    const generated = found.flatMap(({ at, schema }) => {
      const [, owner, property = ""] = /^(\w+)\.(\w+)$/.exec(at) ?? [];
      return owner && (schema.enum || schema.properties)
        ? [`${owner}${property.charAt(0).toUpperCase()}${property.slice(1)}`]
        : [];
    });
    expect(generated.filter((name) => names.includes(name))).toEqual([]);
  });

  test("an event is one of its types, discriminated by `type`", () => {
    const { oneOf, discriminator } = document.components.schemas.Event ?? {};
    expect(oneOf).toHaveLength(eventTypes.length);
    expect(discriminator?.propertyName).toBe("type");
    for (const type of eventTypes) {
      const name = discriminator?.mapping[type]?.split("/").at(-1) ?? "";
      expect(document.components.schemas[name]?.properties?.type).toMatchObject({ const: type });
    }
  });
});

/** The rules of OWASP's set that do not hold, each with the reason. */
const owaspExceptions: Record<string, string> = {
  "owasp:api4:2023-rate-limit":
    "The rule accepts one family of rate-limit headers and refuses two; responses carry RateLimit and X-RateLimit-*. A 401 has none, because there is no key whose limit it could name.",
  "owasp:api8:2023-define-cors-origin":
    "API keys belong on servers, so the API allows no browser of another origin.",
  "owasp:api9:2023-inventory-access":
    "An installation has one server, for its own tenants; x-internal would say nothing.",
};

/** The findings that are wrong in one place. */
const owaspMistakes: Record<string, string> = {
  "Security credentials detected in path parameter: apiKeyId.":
    "The id of a key is no credential: only the key itself is.",
};

describe("rules", () => {
  test("OWASP's rules find nothing but what is listed here with its reason", async () => {
    const spectral = new spectralCore.Spectral();
    spectral.setRuleset({ extends: [[owaspRuleset as never, "recommended"]] });
    const found = await spectral.run(JSON.stringify(document));
    const unexpected = found.filter(
      ({ code, message }) => !(code in owaspExceptions || message in owaspMistakes),
    );
    expect(
      unexpected.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`),
    ).toEqual([]);
    expect(
      Object.keys(owaspExceptions).filter(
        (code) => !found.some((problem) => problem.code === code),
      ),
    ).toEqual([]);
  });

  test("Redocly's recommended rules find nothing", async () => {
    const config = await createConfig({
      extends: ["recommended"],
      rules: {
        // The document describes a service that one calls; it is not itself something that one may
        // copy and change.
        "info-license": "off",
        // /customers/by-external-id/… and /customers/…/erase: no customer's id is "by-external-id",
        // and the two paths have different methods.
        "no-ambiguous-paths": "off",
      },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(
      problems.map(
        ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
      ),
    ).toEqual([]);
  });
});
