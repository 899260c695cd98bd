import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { routes } from "@/lib/api/routes";
import { compileSerializer } from "@/lib/api/serialize";

const responses = Object.values(routes)
  .flatMap((methods) => Object.values(methods))
  .map(({ declaration }) => [declaration.operationId, declaration.response] as const);

/** What zod stores of a schema. The parts depend on the type. */
type Definition = {
  type: string;
  shape: Record<string, z.core.$ZodType>;
  element: z.core.$ZodType;
  valueType: z.core.$ZodType;
  innerType: z.core.$ZodType;
  options: z.core.$ZodType[];
};

/** Values that a schema accepts, found without the serializer's own way of reading schemas. */
function valuesOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const { def } = schema._zod as unknown as { def: Definition };
  switch (def.type) {
    case "object":
      return fc
        .record(
          Object.fromEntries(
            Object.entries(def.shape).map(([name, field]) => [name, valuesOf(field)]),
          ),
        )
        .chain((value) => withFurtherFields(value));
    case "array":
      return fc.array(valuesOf(def.element), { maxLength: 3 });
    case "record":
      return fc.dictionary(fc.string({ minLength: 1, maxLength: 40 }), valuesOf(def.valueType));
    case "nullable":
      return fc.option(valuesOf(def.innerType));
    case "optional":
      return fc.option(valuesOf(def.innerType), { nil: undefined });
    case "union":
      return fc.oneof(...def.options.map(valuesOf));
    case "enum":
    case "literal":
      return fc.constantFrom(...(schema._zod.values ?? []));
    case "string":
      return fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant('"\\\n\ud800'));
    case "number":
      return fc.oneof(fc.maxSafeInteger(), fc.double());
    case "boolean":
      return fc.boolean();
    default:
      return fc.jsonValue();
  }
}

const withFurtherFields = (value: object) =>
  fc.boolean().map((isExtended) => (isExtended ? { more: "secret", ...value } : value));

/** The expected result by the contract: the text, or an error. */
const outcomeOf = (write: () => string) => {
  try {
    return write();
  } catch (error) {
    return (error as Error).constructor.name;
  }
};

describe.each(responses)("%s", (_operationId, schema) => {
  const serialize = compileSerializer(schema);

  test("is written exactly as its schema parses it", () => {
    fc.assert(
      fc.property(valuesOf(schema), (value) => {
        expect(outcomeOf(() => serialize(value))).toBe(
          outcomeOf(() => JSON.stringify(schema.parse(value))),
        );
      }),
      { numRuns: 40 },
    );
  });

  test("is refused without one of its fields, and with a field of another type", () => {
    const fields = Object.keys((schema as z.ZodObject).shape);
    fc.assert(
      fc.property(
        valuesOf(schema),
        fc.constantFrom(...fields),
        fc.anything(),
        (value, name, other) => {
          const { [name]: _left, ...rest } = value as Record<string, unknown>;
          for (const wrong of [rest, { ...rest, [name]: other }]) {
            expect(outcomeOf(() => serialize(wrong))).toBe(
              outcomeOf(() => JSON.stringify(schema.parse(wrong))),
            );
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

test.each([
  ["checks", z.object({ a: z.string().min(2).max(3) }), [{ a: "x" }, { a: "xx" }, { a: "xxxx" }]],
  ["refinements", z.object({ a: z.number().refine((a) => a > 1) }), [{ a: 1 }, { a: 2 }]],
  [
    "refinements of objects",
    z.object({ a: z.number() }).refine(({ a }) => a > 1),
    [{ a: 1 }, { a: 2 }],
  ],
  ["transformations", z.object({ a: z.string().transform(Number) }), [{ a: "1" }]],
  ["defaults", z.object({ a: z.string().default("x") }), [{}, { a: "y" }]],
  ["strict objects", z.strictObject({ a: z.string() }), [{ a: "x" }, { a: "x", b: 1 }]],
  ["loose objects", z.looseObject({ a: z.string() }), [{ b: 1, a: "x" }]],
  ["names of digits", z.object({ b: z.string(), 1: z.string() }), [{ b: "x", 1: "y" }]],
  [
    "records",
    z.record(z.string().max(2), z.union([z.string(), z.number()])).refine((r) => !("x" in r)),
    [{ a: 1, 1: "b" }, { x: 1 }, { abc: 1 }, { a: true }, JSON.parse('{"__proto__":1}'), []],
  ],
])("%s of a schema decide", (_name, schema: z.ZodType, values: unknown[]) => {
  const serialize = compileSerializer(schema);
  for (const value of values) {
    expect(outcomeOf(() => serialize(value))).toBe(
      outcomeOf(() => JSON.stringify(schema.parse(value))),
    );
  }
});
