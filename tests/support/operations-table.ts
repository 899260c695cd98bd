import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { publishedDocument } from "@/lib/api/openapi";

/** The file with the table. */
export const operationsTableFile = "docs/operations.md";

/** These tests go through every operation. */
const testsOfAll = ["api/scopes", "unit/openapi", "sdk/operations"];

const header = `# Every operation, its scope and its tests

Made by \`npm run docs:operations\` from the route declarations and the tests. A test fails where this file is out of date or an
operation has no test of its own.

Beside the tests named here, \`tests/api/scopes.test.ts\` calls each operation with each scope: the one named here
gets the status named here, all others get 403 before the body is read. \`tests/unit/openapi.test.ts\` holds the document against
the routes, \`tests/sdk/operations.test.ts\` the client against the document, and every answer of every API test is held against
the document (\`tests/support/described-answers.ts\`).
`;

type Row = { operationId: string; request: string; status: string; scope: string; tests: string[] };

/** One row for each operation: its scope, and which test files call it by name or by path. */
export function operationRows(): Row[] {
  const files = testFiles();
  return Object.entries(publishedDocument().paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { operationId, responses, ...operation }]) => {
      const calls = callsOf(method.toUpperCase(), template.replace("/v1/public", ""));
      return {
        operationId,
        request: `${method.toUpperCase()} ${template}`,
        status: Object.keys(responses).find((status) => status.startsWith("2")) ?? "",
        scope: operation["x-required-scope"] ?? "",
        tests: files.filter(({ text }) => calls.test(text)).map(({ name }) => name),
      };
    }),
  );
}

export function operationsTable(rows = operationRows()): string {
  const lines = rows.map(
    ({ operationId, request, status, scope, tests }) =>
      `| \`${operationId}\` | \`${request}\` | ${status} | \`${scope}\` | ${tests.join(", ")} |`,
  );
  return [
    header,
    "| Operation | Request | Answer | Scope | Tests |",
    "|---|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

function testFiles(): { name: string; text: string }[] {
  return readdirSync("tests", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => ({
      name: file.replace(/\.test\.ts$/, "").replaceAll(path.sep, "/"),
      text: readFileSync(path.join("tests", file), "utf8"),
    }))
    .filter(({ name }) => !testsOfAll.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * A call in a test: the method as a text, and next to it a path in which ids are put in, or are
 * plain. A path may begin with one that the test keeps in a variable, as long as what follows names
 * the operation.
 */
function callsOf(method: string, template: string): RegExp {
  const segments = template
    .slice(1)
    .split("/")
    .map((segment) => (segment.startsWith("{") ? "(?:\\$\\{[^}]+\\}|[a-z]+_\\w+)" : segment));
  const tails = segments.flatMap((segment, index) =>
    index > 0 && /^[a-z]/.test(segment) ? [segments.slice(index).join("/")] : [],
  );
  const inVariable = tails.map((tail) => `\\$\\{[^}]*path\\}/${tail}`);
  return new RegExp(
    `"${method}",\\s*["\`](?:${[`/${segments.join("/")}`, ...inVariable].join("|")})(?:\\?[^"\`]*)?["\`]`,
  );
}
