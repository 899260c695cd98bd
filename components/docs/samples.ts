import type { ApiOperation, JsonValue, Parameter } from "@/lib/platform/openapi";
import { partsOf } from "@/lib/resources/registry";

/** An operation as the reference shows it, with all references in its parameters resolved. */
export type DescribedOperation = {
  method: string;
  path: string;
  operation: ApiOperation;
  parameters: Parameter[];
  /** The example of the JSON body, if there is one. */
  body: JsonValue | undefined;
  takesFile: boolean;
  /** The name of the file that a form uploads. The samples of the reference have an example. */
  file?: string | undefined;
};

const exampleId = (name: string) => `{${name}}`;

/** A value to show for a path parameter: its own example. */
export function exampleValue({ name, schema, example }: Parameter): string {
  return String(example ?? schema.examples?.[0] ?? exampleId(name));
}

export function fillPath(path: string, parameters: Parameter[]): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find(
      (candidate) => candidate.in === "path" && candidate.name === name,
    );
    return parameter ? exampleValue(parameter) : name;
  });
}

/** Only the required parameters. */
export function requiredQuery(parameters: Parameter[]): string {
  const required = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const search = new URLSearchParams(
    required.map((parameter) => [parameter.name, exampleValue(parameter)]),
  );
  return search.size > 0 ? `?${search}` : "";
}

/** Whether the response is a stream of events. */
export const isStream = ({ responses }: ApiOperation): boolean =>
  Boolean(responses["200"]?.content?.["text/event-stream"]);

export function curlSample(
  { method, path, operation, parameters, body, takesFile, file }: DescribedOperation,
  origin: string,
): string {
  const lines = [
    // A stream is shown as it arrives.
    `curl${isStream(operation) ? " -N" : ""}${method === "GET" ? "" : ` -X ${method}`} "${origin}${fillPath(path, parameters)}${requiredQuery(parameters)}"`,
  ];
  lines.push(`-H "Authorization: Bearer $PARLANCE_API_KEY"`);
  if (method !== "GET") lines.push(`-H "Idempotency-Key: $(openssl rand -hex 16)"`);
  if (file !== undefined) lines.push(`-F '${escapeQuotes(formField(file))}'`);
  else if (takesFile) lines.push(`-F "file=@returns.pdf"`);
  else if (body !== undefined)
    lines.push(
      `-H "Content-Type: application/json"`,
      `-d '${escapeQuotes(JSON.stringify(body, null, 2)).replaceAll("\n", "\n  ")}'`,
    );
  return lines.join(" \\\n  ");
}

const escapeQuotes = (text: string) => text.replaceAll("'", "'\\''");

/** Quoted, because a comma or a semicolon would otherwise end the name. */
const formField = (file: string) => `file=@"${file.replaceAll(/["\\]/g, "\\$&")}"`;

const pathsOf = (isSingleton: boolean) =>
  new Set(
    partsOf("api")
      .filter((api) => Boolean(api.isSingleton) === isSingleton)
      .map(({ path }) => path),
  );
const collections = pathsOf(false);
const singletons = pathsOf(true);
const itemMethods: Record<string, string> = { GET: "get", PATCH: "update", DELETE: "delete" };

/** The method of the clients, such as `knowledgeBases.documents.upload`. */
export function methodOf({ method, path }: DescribedOperation): string {
  const segments = path.replace("/v1/public/", "").split("/");
  const names = segments.filter((segment) => !segment.startsWith("{"));
  const last = names.at(-1) ?? "";
  const verb = verbOf(method, last, segments.at(-1)?.startsWith("{") ?? false);
  const owners =
    last === "event-types"
      ? ["events"]
      : collections.has(last) || singletons.has(last)
        ? names
        : names.slice(0, -1);
  return `${owners.map(camelCased).join(".")}.${verb}`;
}

/** The same request with the TypeScript client. */
export function clientCall(described: DescribedOperation): string {
  const { parameters, body, file } = described;
  const ids = parameters
    .filter((parameter) => parameter.in === "path")
    .map((parameter) => JSON.stringify(exampleValue(parameter)));
  const query = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const queryValue = Object.fromEntries(
    query.map((parameter) => [parameter.name, exampleValue(parameter)]),
  );
  const values = [
    ...ids,
    ...(body === undefined ? [] : [toLiteral(body)]),
    ...(file === undefined
      ? []
      : [`{ file: await openAsBlob(${quote(file)}), name: ${quote(file)} }`]),
    ...(query.length > 0 ? [toLiteral(queryValue)] : []),
  ];
  return `parlance.${methodOf(described)}(${values.join(", ")})`;
}

const quote = (text: string) => JSON.stringify(text);

function verbOf(method: string, last: string, isItem: boolean): string {
  if (last === "event-types") return "types";
  if (method === "PUT") return last === "documents" ? "replace" : "upsert";
  if (last === "file") return "getFile";
  if (singletons.has(last)) return "get";
  if (!collections.has(last)) return camelCased(last);
  if (isItem) return itemMethods[method] ?? method.toLowerCase();
  if (method === "GET") return "list";
  return last === "documents" ? "upload" : "create";
}

const camelCased = (name: string) =>
  name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** JSON as TypeScript: property names are quoted only if necessary. */
const toLiteral = (value: JsonValue) =>
  JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");

export function clientSample(operation: DescribedOperation, origin: string): string {
  const call = clientCall(operation);
  const isList = operation.parameters.some(({ name }) => name === "cursor");
  // What a search finds is an item with the conversation in it. Versions have numbers.
  const id = operation.path.endsWith("/search")
    ? "item.conversation.id"
    : operation.path.endsWith("/versions")
      ? "item.version"
      : "item.id";
  const use = isList
    ? `for await (const item of ${call}) {\n  console.log(${id});\n}`
    : `const result = await ${call};`;
  const client = `new Parlance(process.env.PARLANCE_API_KEY, { baseUrl: "${origin}" })`;
  const imports = `${operation.file === undefined ? "" : `import { openAsBlob } from "node:fs";\n`}import { Parlance } from "@parlance/sdk";`;
  return `${imports}\n\nconst parlance = ${client};\n\n${use}`;
}
