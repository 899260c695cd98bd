import { afterEach, expect, test } from "vitest";
import { bindings, sql, timeOf } from "@/lib/platform/sql";
import { setCurrentTime } from "@/lib/platform/time";

afterEach(() => setCurrentTime(null));

test("parameters are numbered, cast and filled in by name, in whatever order values come", () => {
  const statement = sql(
    "find",
    { tenantId: "text", environment: "Environment", statuses: "DeliveryStatus?[]", limit: "int" },
    (p) => `${p.limit} ${p.tenantId} ${p.environment} ${p.statuses} ${p.tenantId}`,
  );
  expect(
    statement({ limit: 20, statuses: ["HELD", null], environment: "test", tenantId: "ten_1" }),
  ).toEqual({
    name: "find",
    text: '$4::int $1::text $2::"Environment" $3::"DeliveryStatus"[] $1::text',
    values: ["ten_1", "test", ["HELD", null], 20],
    textArrays: [],
  });
});

test("what may be null can be left out; what may not does not compile, nor does a misspelled name", () => {
  const statement = sql(null, { id: "text", cursor: "text?" }, (p) => `${p.id} ${p.cursor}`);
  expect(statement({ id: "a" }).values).toEqual(["a", null]);
  // @ts-expect-error: `id` is missing
  statement({ cursor: "b" });
  // @ts-expect-error: the name is `cursor`
  statement({ id: "a", curser: "b" });
  // @ts-expect-error: an id is text
  statement({ id: 1 });
  // @ts-expect-error: the statement has no such parameter
  sql(null, { id: "text" }, (p) => `${p.id} ${p.cursor}`);
});

test("a parameter that the text does not use is refused when the module loads", () => {
  expect(() => sql("find", { id: "text", unused: "int" }, (p) => p.id)).toThrow(
    "find does not use unused",
  );
});

test("a clock is the database's own, unless a test sets the time", () => {
  const statement = sql(null, { now: "clock", id: "text" }, (p) => `${timeOf(p.now)} ${p.id}`);
  expect(statement({ id: "a" })).toEqual({
    text: "coalesce($1::timestamptz, now()) $2::text",
    values: [null, "a"],
    textArrays: [],
  });
  const time = new Date("2026-01-31T09:30:00Z");
  setCurrentTime(() => time);
  expect(statement({ id: "a" }).values).toEqual([time, "a"]);
  const given = new Date(0);
  expect(statement({ now: given, id: "a" }).values).toEqual([given, "a"]);
});

test("a text that depends on its filters binds only what it mentions", () => {
  const { bind, values } = bindings();
  expect(`${bind("text", "a")} ${bind("timestamptz[]", [])}`).toBe("$1::text $2::timestamptz[]");
  expect(values).toEqual(["a", []]);
});
