import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { env } from "@/lib/platform/env";
import { type Span, type Tracer, traceStatements } from "@/lib/platform/tracing";

const pool = new pg.Pool({ connectionString: env().DATABASE_URL, max: 1 });
afterAll(() => pool.end());

test("the span of a statement that failed has its SQLSTATE and none of the client's text", async () => {
  const ended: (string | undefined)[] = [];
  const span: Span = {
    traceparent: "",
    traceId: "",
    add: () => {},
    end: (failure) => void ended.push(failure),
  };
  const tracer: Tracer = { start: () => span, within: (_, work) => work(), current: () => span };
  traceStatements(pool, tracer);
  const sent = pool.query("SELECT $1::text::int", ["text of a client"]);
  await expect(sent).rejects.toThrow("text of a client");
  const client = await pool.connect();
  await expect(client.query("SELECT $1::text::int", ["text of a client"])).rejects.toThrow();
  client.release();
  expect(ended).toEqual(["22P02", "22P02"]);
});
