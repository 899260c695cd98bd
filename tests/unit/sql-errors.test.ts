import { expect, test } from "vitest";
import { isDatabaseUnavailable, sqlState } from "@/lib/platform/sql-errors";

test("the code of a broken socket is not taken for PostgreSQL's SQLSTATE", () => {
  const error = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
  expect(sqlState(error)).toBeUndefined();
  expect(isDatabaseUnavailable(error)).toBe(true);
});

test.each(["23505", "57P03", "XX001", "P0001", "HV000", "F0000"])(
  "%s is an SQLSTATE, whether pg threw it or Prisma wrapped it",
  (code) => {
    expect(sqlState({ code })).toBe(code);
    expect(sqlState({ code: "P2010", meta: { code } })).toBe(code);
    expect(sqlState({ code: "P2010", cause: { originalCode: code } })).toBe(code);
  },
);

test.each(["P2034", "P1001", "ECONNRESET", 23505, undefined])("%s is not one", (code) => {
  expect(sqlState({ code })).toBeUndefined();
});
