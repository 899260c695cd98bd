import { limitsOf, nestedObject, typeOf } from "@/components/docs/schema-fields";
import { type JsonSchema, nameOfReference, resolveSchema } from "@/lib/platform/openapi";

type Schemas = Record<string, JsonSchema>;

/** A field as a list item, followed by the fields of the object in it. */
export function fieldLines(
  schemas: Schemas,
  name: string,
  schema: JsonSchema,
  { isRequired = false, description = "", indent = "", seen = [] as string[] } = {},
): string[] {
  const known = resolveSchema(schemas, schema);
  const said = description || (schema.description ?? known.description ?? "");
  const options = [...(known.enum ?? known.items?.enum ?? [])].filter((option) => option !== null);
  const notes = [
    options.length > 0 ? `One of ${options.map((option) => `\`${option}\``).join(", ")}.` : "",
    limitsOf(known) ? `${limitsOf(known)}.` : "",
  ];
  const type = `${typeOf(schemas, schema)}${isRequired ? ", required" : ""}`;
  const line = [`${indent}- \`${name}\` (${type}):`, said, ...notes].filter(Boolean).join(" ");
  const nested = nestedObject(schemas, schema);
  const nestedName = nested && nameOfReference(nested);
  if (!nested || nestedName === "Metadata" || seen.includes(nestedName ?? "")) return [line];
  return [
    line,
    ...objectLines(schemas, nested, {
      indent: `${indent}  `,
      seen: nestedName ? [...seen, nestedName] : seen,
    }),
  ];
}

/** The fields of an object, as a nested list. */
export function objectLines(
  schemas: Schemas,
  schema: JsonSchema,
  { indent = "", seen = [] as string[] } = {},
): string[] {
  const known = resolveSchema(schemas, schema);
  return Object.entries(known.properties ?? {}).flatMap(([name, part]) =>
    fieldLines(schemas, name, part, {
      isRequired: Boolean(known.required?.includes(name)),
      indent,
      seen,
    }),
  );
}
