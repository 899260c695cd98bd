import pino from "pino";
import { afterEach, expect, test, vi } from "vitest";
import { toProblem } from "@/lib/api/problem";
import { FilesUnavailable } from "@/lib/platform/files-unavailable";
import { logOf } from "@/lib/platform/log";
import { isConnectionFailure, isDatabaseUnavailable } from "@/lib/platform/sql-errors";
import { warnOfFailure } from "@/lib/platform/warn-of-failure";

afterEach(() => vi.restoreAllMocks());

test("failures for want of a database share one line in ten seconds, and others keep their own", () => {
  const own: unknown[] = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line: string) => own.push(JSON.parse(line)) },
  );
  const shared = vi.spyOn(logOf("database"), "warn").mockReturnValue(undefined);
  const refused = new Error("connect ECONNREFUSED 127.0.0.1:5432");
  const at = (seconds: number, error: Error, job: string) =>
    warnOfFailure(log, error, { job }, "a job failed", seconds * 1_000);

  at(0, refused, "one");
  for (let second = 0; second < 10; second++) at(second, refused, "two");
  at(5, new Error("column does not exist"), "three");
  at(10, refused, "four");
  at(11, refused, "five");
  // Another outage, which does not count what the first one left.
  at(30, refused, "six");

  expect(shared.mock.calls.map(([fields]) => fields)).toEqual([
    { error: refused.message, failures: 1 },
    { error: refused.message, failures: 11 },
    { error: refused.message, failures: 1 },
  ]);
  expect(own).toEqual([
    { level: 40, job: "three", error: "column does not exist", msg: "a job failed" },
  ]);
});

test.each([
  ["28P01", "password authentication failed"],
  ["3D000", "database does not exist"],
  ["57P01", "terminating connection"],
  ["53300", "too many clients"],
])("%s means that there is no connection, and a statement's own failure does not", (code) => {
  expect(isConnectionFailure(Object.assign(new Error("refused"), { code }))).toBe(true);
  for (const other of ["55P03", "57014", "23505", "42P01"])
    expect(isConnectionFailure(Object.assign(new Error("failed"), { code: other }))).toBe(false);
});

test("503 when files cannot be stored, which is not taken for a failure of the database", () => {
  const failed = new FilesUnavailable(
    "a file cannot be stored in the bucket files (connect ECONNREFUSED 127.0.0.1:9000)",
  );
  expect([isDatabaseUnavailable(failed), isConnectionFailure(failed)]).toEqual([false, false]);
  const error = vi.spyOn(logOf("api"), "error").mockReturnValue(undefined);
  expect(toProblem(failed, "/v1/public/files", "req_1").status).toBe(503);
  expect(error.mock.calls).toEqual([
    [
      { requestId: "req_1", instance: "/v1/public/files" },
      `${failed.message}; see \`npm run admin -- doctor\``,
    ],
  ]);
});
