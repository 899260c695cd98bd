import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { operationRows, operationsTable, operationsTableFile } from "../support/operations-table";

test("every operation has a response, a scope and its own test", () => {
  const rows = operationRows();
  expect(rows.length).toBeGreaterThan(20);
  expect(
    rows.filter(({ status, scope, tests }) => !status || !scope || tests.length === 0),
  ).toEqual([]);
});

test(`${operationsTableFile} is up to date; if not, run npm run docs:operations`, () => {
  expect(readFileSync(operationsTableFile, "utf8")).toBe(operationsTable());
});
