import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { z } from "zod";
import { returnPath } from "@/lib/auth/return-path";
import { confirmPassword, signIn } from "@/lib/auth/service";
import { failureLimits, maximumFailures } from "@/lib/auth/throttle";
import { changePasswordInput, newPersonInput, resetPasswordInput } from "@/lib/users/schema";
import { stopLimiterClock } from "../support/limiter-clock";

beforeEach(() => void stopLimiterClock());
afterEach(() => vi.restoreAllMocks());

/** One code unit that NFKC expands to eighteen. */
const hostile = "\ufdfa".repeat(1_000_000);
/** No field that is normalized, split or spread accepts more than this. */
const longest = 5_000;

/**
 * Counts calls that read a long text with more than one pass or that make a longer one of it. They
 * return the text unread, so that a missing bound fails the test instead of stopping the machine.
 */
function watchWork(): string[] {
  const reached: string[] = [];
  const expensive = [
    "normalize",
    "toLowerCase",
    "toUpperCase",
    "split",
    "replace",
    "replaceAll",
    "match",
    "matchAll",
    "trim",
  ] as const;
  for (const name of expensive) {
    const original = String.prototype[name] as (...given: unknown[]) => unknown;
    vi.spyOn(String.prototype, name as "trim").mockImplementation(function (
      this: string,
      ...given: unknown[]
    ) {
      if (this.length <= longest) return original.apply(this, given) as string;
      reached.push(name);
      return "";
    });
  }
  const iterate = String.prototype[Symbol.iterator];
  vi.spyOn(
    String.prototype as { [Symbol.iterator]: () => unknown },
    Symbol.iterator,
  ).mockImplementation(function (this: unknown) {
    const text = String(this);
    if (text.length > longest) reached.push("spread");
    return iterate.call(text.slice(0, longest));
  });
  return reached;
}

type Definition = {
  shape?: Record<string, z.ZodType>;
  innerType?: z.ZodType;
  in?: z.ZodType;
  options?: z.ZodType[];
  element?: z.ZodType;
};

/** Values that carry the hostile text to every place of a schema where a text can stand. */
function hostileValues(schema: z.ZodType): unknown[] {
  const { shape, innerType, in: before, options, element } = schema.def as unknown as Definition;
  if (shape) {
    const fields = Object.entries(shape).map(([name, field]) => ({
      name,
      values: hostileValues(field),
    }));
    const most = Math.max(...fields.map(({ values }) => values.length), 0);
    return Array.from({ length: most }, (_, index) =>
      Object.fromEntries(fields.map(({ name, values }) => [name, values[index] ?? values[0]])),
    );
  }
  if (options) return [hostile, ...options.flatMap(hostileValues)];
  if (element) return [hostile, hostileValues(element)];
  if (innerType ?? before) return hostileValues((innerType ?? before) as z.ZodType);
  return schema.def.type === "record" ? [{ [hostile]: hostile }, hostile] : [hostile];
}

const modules = import.meta.glob<Record<string, unknown>>("../../lib/**/schema.ts", {
  eager: true,
});
const entries = Object.entries(modules).flatMap(([file, exported]) =>
  Object.entries(exported)
    .filter(([name]) => /(Body|Query|Input|Fields|Params|overlap)$/.test(name))
    .map(([name, schema]) => ({
      name: `${file.replace("../../lib/", "")}: ${name}`,
      schema: schema as z.ZodType,
    })),
);
const ofAddress = { changePasswordInput, newPersonInput, resetPasswordInput };
const isSchema = ({ schema }: { schema: unknown }) =>
  typeof schema === "object" && schema !== null && "def" in schema;

describe("a megabyte of text that grows when normalized is refused by its length, before anything reads it", () => {
  test.each([
    ...entries.filter(isSchema),
    ...Object.entries(ofAddress).map(([name, make]) => ({
      name: `auth/schema.ts: ${name}`,
      schema: make("ada@example.com") as z.ZodType,
    })),
  ])("$name", ({ schema }) => {
    const values = hostileValues(schema);
    const reached = watchWork();
    const isAccepted = values.some((value) => schema.safeParse(value).success);
    vi.restoreAllMocks();
    expect(reached).toEqual([]);
    expect(isAccepted).toBe(false);
  });
});

test("a return address is read only up to the maximum length of an address", () => {
  const reached = watchWork();
  expect(returnPath(`/${hostile}`)).toBe("/");
  expect(reached).toEqual([]);
});

describe("credentials that exceed every limit", () => {
  let number = 0;
  const newDevice = () => ({ address: `10.7.0.${++number}`, userAgent: "test" });
  const shapes = [
    { email: "ada@example.com", password: hostile },
    { email: hostile, password: "correct horse battery" },
    { email: { contains: "@" }, password: ["x"] },
    undefined,
  ];

  test("count in the throttle of their network, without being read", async () => {
    const device = newDevice();
    const reached = watchWork();
    for (let attempt = 0; attempt < maximumFailures; attempt++) {
      expect(await signIn(shapes[attempt % shapes.length], device)).toEqual({ outcome: "failed" });
    }
    expect(await signIn(shapes[0], device)).toMatchObject({ outcome: "throttled" });
    expect(reached).toEqual([]);
  });

  test("also count where a password is confirmed", async () => {
    const user = { email: "ada@example.com", sessionId: "ses_1" };
    const device = newDevice();
    const outcomes = [];
    for (let attempt = 0; attempt <= failureLimits[0].limit; attempt++) {
      outcomes.push((await confirmPassword(user, hostile, device)).outcome);
    }
    expect(outcomes.at(0)).toBe("failed");
    expect(outcomes.at(-1)).toBe("throttled");
  });
});
