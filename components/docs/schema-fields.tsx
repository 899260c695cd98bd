import {
  type JsonSchema,
  type JsonValue,
  nameOfReference,
  resolveSchema,
} from "@/lib/platform/openapi";
import { InlineCode, InlineMarkdown } from "./inline-markdown";

type Schemas = Record<string, JsonSchema>;
type FieldsProps = {
  schema: JsonSchema;
  schemas: Schemas;
  showRequired?: boolean;
  seen?: string[];
};

/** The fields of an object with their types. Nested objects can be expanded. */
export function SchemaFields({ schema, schemas, showRequired = false, seen = [] }: FieldsProps) {
  const known = resolveSchema(schemas, schema);
  const name = nameOfReference(schema);
  const inside = name ? [...seen, name] : seen;
  return (
    <ul className="divide-y divide-line">
      {Object.entries(known.properties ?? {}).map(([field, part]) => (
        <Field
          key={field}
          name={field}
          schema={part}
          schemas={schemas}
          note={showRequired && known.required?.includes(field) ? "required" : undefined}
          seen={inside}
        />
      ))}
    </ul>
  );
}

type FieldProps = {
  name: string;
  schema: JsonSchema;
  schemas: Schemas;
  note?: string | undefined;
  description?: string;
  seen?: string[];
};

export function Field({ name, schema, schemas, note, description, seen = [] }: FieldProps) {
  const known = resolveSchema(schemas, schema);
  const said = description ?? schema.description ?? known.description;
  const nested = nestedObject(schemas, schema);
  const limits = limitsOf(known);
  const options = [...(known.enum ?? known.items?.enum ?? [])].filter((option) => option !== null);
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <p className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <code className="break-all font-medium font-mono text-[0.8125rem]">{name}</code>
        <span className="text-muted text-xs">{typeOf(schemas, schema)}</span>
        {note ? <span className="font-medium text-warn text-xs">{note}</span> : null}
      </p>
      {said ? (
        <p className="mt-1 text-muted">
          <InlineMarkdown text={said} />
        </p>
      ) : null}
      {options.length > 0 ? (
        <p className="mt-1.5 flex flex-wrap gap-1.5 text-xs">
          {options.slice(0, 24).map((option) => (
            <InlineCode key={String(option)}>{String(option)}</InlineCode>
          ))}
        </p>
      ) : null}
      {limits ? <p className="mt-1 text-muted text-xs">{limits}</p> : null}
      {nested &&
      !seen.includes(nameOfReference(nested) ?? "") &&
      nameOfReference(nested) !== "Metadata" ? (
        <details className="mt-2">
          <summary className="inline-flex h-7 items-center rounded-lg border border-line px-2.5 text-muted text-xs hover:bg-sunken hover:text-ink">
            Fields of {name}
          </summary>
          <div className="mt-2 rounded-xl border border-line p-3">
            <SchemaFields schema={nested} schemas={schemas} showRequired seen={seen} />
          </div>
        </details>
      ) : null}
    </li>
  );
}

/** The object schema of a field: its own, that of its items, or that of one of its variants. */
export function nestedObject(schemas: Schemas, schema: JsonSchema): JsonSchema | undefined {
  const known = resolveSchema(schemas, schema);
  if (known.properties) return schema;
  if (known.items) return nestedObject(schemas, known.items);
  for (const branch of known.anyOf ?? known.oneOf ?? []) {
    const found = nestedObject(schemas, branch);
    if (found) return found;
  }
  return undefined;
}

export function typeOf(schemas: Schemas, schema: JsonSchema): string {
  const name = nameOfReference(schema);
  if (name) return name === "Metadata" ? "object" : name;
  const known = resolveSchema(schemas, schema);
  const branches = known.anyOf ?? known.oneOf;
  if (branches) return branches.map((branch) => typeOf(schemas, branch)).join(" or ");
  if (known.const !== undefined) return `always ${JSON.stringify(known.const)}`;
  const types = [known.type ?? "object"].flat().map((type) => {
    if (type === "array") return known.items ? `array of ${typeOf(schemas, known.items)}` : "array";
    if (type === "string" && known.contentMediaType) return "file";
    return type === "string" && known.format === "date-time" ? "time" : type;
  });
  return types.join(" or ");
}

export function limitsOf(schema: JsonSchema): string {
  const number = (value: number) => value.toLocaleString("en");
  const range = (least: number | undefined, most: number | undefined, unit: string) => {
    if (least !== undefined && most !== undefined)
      return `${number(least)} to ${number(most)}${unit}`;
    if (most !== undefined) return `at most ${number(most)}${unit}`;
    return least === undefined ? "" : `at least ${number(least)}${unit}`;
  };
  const parts = [
    range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " items"),
    range(
      schema.minimum,
      schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum,
      "",
    ),
    schema.default === undefined ? "" : `default ${shortJson(schema.default)}`,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

const shortJson = (value: JsonValue) => JSON.stringify(value);
