import { nameOf, type operationsOf, type Parameter, type Schema } from "./api-document";
import {
  capitalized,
  docstring,
  header,
  literal,
  type PythonTypes,
  pascalCase,
  type Schemas,
  toIdentifier,
  toSnakeCase,
  union,
} from "./python-types";

export type Operation = ReturnType<typeof operationsOf>[number];

type Resource = { methods: Operation[]; children: Map<string, Resource> };

/** Names that the rule in `methodOf` does not give. */
const irregular: Record<string, string> = {
  "GET /event-types": "events.types",
  "POST /knowledge-bases/{knowledgeBaseId}/documents": "knowledge_bases.documents.upload",
  "GET /knowledge-bases/{knowledgeBaseId}/documents/{documentId}/file":
    "knowledge_bases.documents.get_file",
  "PUT /knowledge-bases/{knowledgeBaseId}/documents/{documentId}":
    "knowledge_bases.documents.replace",
};

/**
 * `knowledge_bases.documents.get`: the nouns of the path, and a verb. A segment is a noun if it
 * comes first, or if an id follows it in some path; otherwise it is the verb.
 */
function methodOf({ method, path, response }: Operation, paths: string[], schemas: Schemas) {
  const known = irregular[`${method} ${path}`];
  if (known) return known.split(".");
  const segments = path.slice(1).split("/");
  const words = segments.filter((part) => !part.startsWith("{") && !part.startsWith("by-"));
  const last = segments.at(-1) ?? "";
  const isNoun =
    last.startsWith("{") ||
    segments.length === 1 ||
    paths.some((other) => other.startsWith(`${path}/{`));
  if (!isNoun) return words.map(toIdentifier);
  const isList = !last.startsWith("{") && "data" in (resolve(response, schemas).properties ?? {});
  const reading = isList ? "list" : "get";
  const verbs: Record<string, string> = {
    GET: reading,
    POST: "create",
    PUT: "upsert",
    PATCH: "update",
    DELETE: "delete",
  };
  return [...words.map(toIdentifier), verbs[method] ?? ""];
}

export function declareResources(
  operations: Operation[],
  schemas: Schemas,
  sent: PythonTypes,
): string {
  const root: Resource = { methods: [], children: new Map() };
  const names = new Map<Operation, string>();
  const paths = operations.map(({ path }) => path);
  for (const operation of operations) {
    const words = methodOf(operation, paths, schemas);
    names.set(operation, words.at(-1) ?? "");
    let resource = root;
    for (const word of words.slice(0, -1)) {
      const child = resource.children.get(word) ?? { methods: [], children: new Map() };
      resource.children.set(word, child);
      resource = child;
    }
    resource.methods.push(operation);
  }
  const classes: string[] = [];
  const declare = (resource: Resource, words: string[], isAsync: boolean): string => {
    const prefix = isAsync ? "Async" : "";
    const attributes = [...resource.children].map(([word, child]) => {
      const name = declare(child, [...words, word], isAsync);
      const value = words.length === 0 ? `${name}(self)` : `${name}(client)`;
      return `        self.${word} = ${value}\n`;
    });
    const name = `${prefix}${words.map(pascalCase).join("")}Resource`;
    if (words.length === 0) return attributes.join("");
    const methods = resource.methods.map((operation) =>
      declareMethod(operation, names.get(operation) ?? "", schemas, sent, isAsync),
    );
    const initializer = `    def __init__(self, client: ${prefix}Transport) -> None:\n        self._client = client\n${attributes.join("")}`;
    classes.push(`class ${name}:\n${[initializer, ...methods].join("\n")}`);
    return name;
  };
  const roots = [false, true].map((isAsync) => {
    const name = isAsync ? "AsyncResources" : "Resources";
    const transport = isAsync ? "AsyncTransport" : "Transport";
    return `class ${name}(${transport}):\n    """Every resource of the API."""\n\n    def _add_resources(self) -> None:\n${declare(root, [], isAsync)}`;
  });
  return [
    header,
    "from __future__ import annotations\n",
    "from datetime import datetime\nfrom typing import Any, AsyncIterator, Iterator, Literal, Mapping, Optional, Sequence, Union\n",
    "from .._events import parse_event\nfrom .._pages import AsyncPages, Pages\nfrom .._transport import NOT_GIVEN, AsyncTransport, FileSource, NotGiven, Transport\nfrom . import models, params\n",
    "",
    classes.join("\n\n"),
    "",
    roots.join("\n\n"),
  ].join("\n");
}

type Argument = { name: string; type: string; isRequired: boolean; description: string };

function declareMethod(
  operation: Operation,
  name: string,
  schemas: Schemas,
  sent: PythonTypes,
  isAsync: boolean,
): string {
  const { id, method, path, parameters, response, isUpload, isStream } = operation;
  const pathNames = [...path.matchAll(/\{(\w+)\}/g)].map(([, found = ""]) => found);
  const query = argumentsOf(operation.query, `${capitalized(id)}Query`, sent);
  const body = argumentsOf(operation.body, `${capitalized(id)}Body`, sent, schemas).map(
    // A file has its own name, and takes the place of the text.
    (argument) => (isUpload ? { ...argument, isRequired: false } : argument),
  );
  const file: Argument = {
    name: "file",
    type: "FileSource",
    isRequired: false,
    description:
      "The file, in place of `text`: bytes, an open file, or a pair of name and one of them.",
  };
  const fields = [...query, ...(isUpload ? [file] : []), ...body];
  const isChange = method !== "GET";
  const parse = parserOf(response, schemas);
  const options: Argument[] = [
    ...(isChange
      ? [option("idempotency_key", "str", "Makes the change once. Default: a new UUID.")]
      : []),
    ...(parameters.some(isIfMatch) ? [ifMatch] : []),
    option("timeout", "float", "Seconds for each attempt."),
    option("max_retries", "int", "Attempts after the first one."),
  ];
  const signature = [
    "self",
    ...pathNames.map((argument) => `${toSnakeCase(argument)}: str`),
    "*",
    ...fields
      .filter(({ isRequired }) => isRequired)
      .map((field) => `${toSnakeCase(field.name)}: ${field.type}`),
    ...fields
      .filter(({ isRequired }) => !isRequired)
      .map((field) => `${toSnakeCase(field.name)}: ${union([field.type, "NotGiven"])} = NOT_GIVEN`),
    ...options.map((field) =>
      field === ifMatch
        ? `${field.name}: ${union([`Optional[${field.type}]`, "NotGiven"])} = NOT_GIVEN`
        : `${field.name}: Optional[${field.type}] = None`,
    ),
  ];
  const dict = (items: Argument[]) =>
    `{${items.map((item) => `${literal(item.name)}: ${toSnakeCase(item.name)}`).join(", ")}}`;
  const values = [
    ...(pathNames.length > 0
      ? [`path={${pathNames.map((item) => `"${item}": ${toSnakeCase(item)}`).join(", ")}}`]
      : []),
    ...(query.length > 0 ? [`query=${dict(query)}`] : []),
    ...(operation.body ? [`body=${dict(body)}`] : []),
    ...(isUpload ? ["file=file"] : []),
    ...options.map((field) => `${field.name}=${field.name}`),
  ];
  const [kind, result] = resultOf(response, schemas, { isStream, isAsync });
  const target = isStream ? [] : [`"${method}"`, `"${path}"`];
  const call = `self._client.${kind}(${[...target, ...(isStream ? [] : [parse]), ...values].join(", ")})`;
  const waits = isAsync && kind === "_call";
  return `    ${waits ? "async " : ""}def ${name}(\n${signature.map((part) => `        ${part},\n`).join("")}    ) -> ${result}:\n${documentation(operation, [...fields, ...options])}        return ${waits ? "await " : ""}${call}\n`;
}

const option = (name: string, type: string, description: string): Argument => ({
  name,
  type,
  isRequired: false,
  description,
});

/** None is refused: it is the `etag` of a response without one, and would change any version. */
const ifMatch = option(
  "if_match",
  "str",
  "The `etag` of the version that you have read, or `*`. None is refused.",
);

const isIfMatch = ({ name }: Parameter): boolean => name === "If-Match";

function resultOf(
  response: Schema,
  schemas: Schemas,
  { isStream, isAsync }: { isStream: boolean; isAsync: boolean },
): [kind: string, type: string] {
  if (isStream)
    return ["_stream", isAsync ? "AsyncIterator[models.Event]" : "Iterator[models.Event]"];
  const { properties = {} } = resolve(response, schemas);
  if ("nextCursor" in properties)
    return [
      "_list",
      `${isAsync ? "AsyncPages" : "Pages"}[${modelOf(properties.data?.items ?? {})}]`,
    ];
  return ["_call", modelOf(response)];
}

function parserOf(response: Schema, schemas: Schemas): string {
  const { properties = {} } = resolve(response, schemas);
  const parsed = "nextCursor" in properties ? (properties.data?.items ?? {}) : response;
  const model = modelOf(parsed);
  return model === "models.Event" ? "parse_event" : `${model}.model_validate`;
}

const modelOf = ({ $ref = "" }: Schema): string => `models.${nameOf({ $ref })}`;

function argumentsOf(
  given: Schema | undefined,
  name: string,
  sent: PythonTypes,
  schemas: Schemas = {},
): Argument[] {
  const { properties = {}, required = [] } = given ? resolve(given, schemas) : {};
  return Object.entries(properties).map(([field, schema]) => ({
    name: field,
    type: sent.typeOf(schema, `${name}${capitalized(field)}`),
    isRequired: required.includes(field),
    description: schema.description ?? "",
  }));
}

const resolve = (schema: Schema, schemas: Schemas): Schema =>
  schema.$ref ? (schemas[nameOf({ $ref: schema.$ref })] ?? {}) : schema;

function documentation({ summary, description }: Operation, args: Argument[]): string {
  const described = args.filter((argument) => argument.description !== "");
  const lines = described.map(
    (argument) =>
      `    ${toSnakeCase(argument.name)}: ${argument.description.replaceAll("\n", " ")}`,
  );
  const list = lines.length > 0 ? `\n\nArgs:\n${lines.join("\n")}` : "";
  return docstring(`${summary}.\n\n${description}${list}`, "        ");
}
