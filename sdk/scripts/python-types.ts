import { nameOf, type Schema } from "./api-document";

export const header =
  "# Generated from the OpenAPI document by `npm run sdk:types`. Change the API's route declarations instead.\n";

export type Schemas = Record<string, Schema>;

/** A value that is sent may be a date, and an object is a dict. A received object is a model. */
type Direction = "sent" | "received";

export class PythonTypes {
  /** Classes in the order in which they may be declared, by name. */
  readonly classes = new Map<string, string>();

  constructor(
    private readonly schemas: Schemas,
    private readonly direction: Direction,
  ) {}

  /** @param name what an object without a name of its own is called */
  typeOf(schema: Schema, name: string): string {
    if (schema.$ref) return this.named(nameOf({ $ref: schema.$ref }));
    if ("const" in schema) return `Literal[${literal(schema.const)}]`;
    if (schema.enum) return this.enumeration(schema.enum);
    const either = schema.anyOf ?? schema.oneOf;
    if (either) return union(either.map((part) => this.typeOf(part, name)));
    if (Array.isArray(schema.type))
      return union(schema.type.map((type) => this.typeOf({ ...schema, type }, name)));
    switch (schema.type) {
      case "string":
        if (schema.format !== "date-time") return "str";
        return this.direction === "sent" ? "Union[str, datetime]" : "datetime";
      case "integer":
        return "int";
      case "number":
        // A whole number stays one.
        return this.direction === "sent" ? "float" : "Union[int, float]";
      case "boolean":
        return "bool";
      case "null":
        return "None";
      case "array": {
        const item = this.typeOf(schema.items ?? {}, name);
        return `${this.direction === "sent" ? "Sequence" : "List"}[${item}]`;
      }
      case "object":
        return this.object(schema, name);
      default:
        return "Any";
    }
  }

  private named(name: string): string {
    const schema = this.schemas[name] ?? {};
    if (this.direction === "sent") return this.typeOf(schema, name);
    if (schema.type === "object" && schema.properties) return name;
    return name === "Event" ? "Event" : this.typeOf(schema, name);
  }

  /** A response may have a value that is newer than the client. */
  private enumeration(values: unknown[]): string {
    const texts = values.filter((value) => value !== null).map(literal);
    const known = `Literal[${texts.join(", ")}]`;
    const parts = this.direction === "received" ? [known, "str"] : [known];
    return union([...parts, ...(values.includes(null) ? ["None"] : [])]);
  }

  private object(schema: Schema, name: string): string {
    const { properties = {}, additionalProperties } = schema;
    if (Object.keys(properties).length === 0) {
      const values =
        typeof additionalProperties === "object"
          ? this.typeOf(additionalProperties, `${name}Value`)
          : "Any";
      return `${this.direction === "sent" ? "Mapping" : "Dict"}[str, ${values}]`;
    }
    this.declare(name, schema);
    return this.direction === "sent" ? `params.${name}` : name;
  }

  declare(name: string, { properties = {}, required = [], description }: Schema): void {
    if (this.classes.has(name)) return;
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = this.typeOf(schema, `${name}${capitalized(field)}`);
      return this.field(field, type, required.includes(field), schema.description);
    });
    const base = this.direction === "sent" ? "TypedDict, total=False" : "Model";
    const text = [...(description ? [docstring(description, "    ")] : []), ...fields];
    this.classes.set(name, `class ${name}(${base}):\n${text.join("")}`);
  }

  private field(
    name: string,
    type: string,
    isRequired: boolean,
    description: string | undefined,
  ): string {
    const own = type.replaceAll("params.", "");
    const attribute = toSnakeCase(name);
    const comment = description ? docstring(description, "    ") : "";
    if (this.direction === "sent")
      return `    ${attribute}: ${isRequired ? `Required[${own}]` : own}\n${comment}`;
    const alias = attribute.endsWith("_") ? `alias="${name}"` : "";
    // A service that is older than the client lacks some fields. Those that can be null then are.
    const isOptional = !isRequired || own.startsWith("Optional[");
    const value = isOptional ? ` = ${alias ? `Field(default=None, ${alias})` : "None"}` : "";
    const annotation = isOptional ? optional(own) : own;
    return `    ${attribute}: ${annotation}${value || (alias && ` = Field(${alias})`)}\n${comment}`;
  }
}

export function docstring(text: string, indent: string): string {
  const escaped = text
    .trim()
    .replaceAll("\\", "\\\\")
    .replaceAll('"""', "'''")
    .replace(/"$/, '\\"');
  const [first = "", ...rest] = escaped.split("\n");
  if (rest.length === 0) return `${indent}"""${first}"""\n`;
  const lines = rest.map((line) => `${indent}${line}`.trimEnd());
  return `${indent}"""${first}\n${lines.join("\n")}\n${indent}"""\n`;
}

export const literal = (value: unknown): string => {
  if (value === true) return "True";
  return value === false ? "False" : JSON.stringify(value);
};

/** `Optional[X]` for a union with None. */
export function union(parts: string[]): string {
  const types = [...new Set(parts)].filter((part) => part !== "None");
  const flat = [...new Set(types.flatMap(membersOf))];
  const known = flat.length > 1 ? `Union[${flat.join(", ")}]` : (flat[0] ?? "None");
  return parts.includes("None") && types.length > 0 ? optional(known) : known;
}

/** The types of a union that has no further unions in it. */
const membersOf = (type: string): string[] =>
  /^Union\[[^[\]]*\]$/.test(type) ? type.slice("Union[".length, -1).split(", ") : [type];

const optional = (type: string): string =>
  type.startsWith("Optional[") ? type : `Optional[${type}]`;

const reserved = new Set(["from", "schema"]);

export function toSnakeCase(name: string): string {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const back = snake.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (!name.includes("_") && back !== name) throw new Error(`${name} has no name in Python`);
  return reserved.has(snake) ? `${snake}_` : snake;
}

export const toIdentifier = (word: string): string => word.replaceAll("-", "_");

export const pascalCase = (word: string): string => word.split("_").map(capitalized).join("");

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
