import type { JsonValue } from "@/lib/platform/openapi";
import type { Language } from "./highlight";
import {
  clientSample,
  curlSample,
  type DescribedOperation,
  exampleValue,
  fillPath,
  isStream,
  methodOf,
  requiredQuery,
} from "./samples";

type SampleLanguage = {
  name: string;
  language: Language;
  write: (operation: DescribedOperation, origin: string) => string;
};

/** The languages of the reference. Each sample is made from the declaration and its examples. */
export const sampleLanguages: readonly SampleLanguage[] = [
  { name: "curl", language: "bash", write: curlSample },
  { name: "TypeScript", language: "typescript", write: clientSample },
  { name: "Python", language: "python", write: pythonSample },
  { name: "Go", language: "go", write: goSample },
  { name: "PHP", language: "php", write: phpSample },
];

const urlOf = ({ path, parameters }: DescribedOperation, origin: string) =>
  `${origin}${fillPath(path, parameters)}${requiredQuery(parameters)}`;

const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);

/** With the client in `sdk-python/`, whose methods are those of the TypeScript client. */
export function pythonSample(operation: DescribedOperation, origin: string): string {
  const { parameters, body, path, file } = operation;
  const ids = parameters
    .filter((parameter) => parameter.in === "path")
    .map((parameter) => JSON.stringify(exampleValue(parameter)));
  const query = parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map((parameter) => [parameter.name, exampleValue(parameter)] as const);
  const fields = [...query, ...Object.entries((body ?? {}) as Record<string, JsonValue>)].map(
    ([name, value]) => `${pythonKeyword(name)}=${pythonLiteral(value, name)}`,
  );
  const upload = file === undefined ? [] : [`file=open(${JSON.stringify(file)}, "rb")`];
  const values = [...ids, ...fields, ...upload];
  const inOneLine = values.join(", ");
  const given =
    inOneLine.length <= 60 && !inOneLine.includes("\n")
      ? inOneLine
      : `\n    ${values.map((value) => indented(value, "    ")).join(",\n    ")},\n`;
  const call = `${methodOf(operation).split(".").map(snakeCased).join(".")}(${given})`;
  const isList = parameters.some(({ name }) => name === "cursor");
  const item = path.endsWith("/search")
    ? "item.conversation.id"
    : path.endsWith("/versions")
      ? "item.version"
      : "item.id";
  const use =
    isList || isStream(operation.operation)
      ? `for item in parlance.${call}:\n    print(${item})`
      : `result = parlance.${call}\nprint(result)`;
  const client = `parlance = Parlance(os.environ["PARLANCE_API_KEY"], base_url="${origin}")`;
  return `import os\n\nfrom parlance import Parlance\n\n${client}\n\n${use}`;
}

const snakeCased = (name: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Python's own words get an underscore. */
const pythonKeyword = (name: string) => (name === "from" ? "from_" : snakeCased(name));

// Their keys are data.
const hasOwnKeys = new Set(["metadata", "headers"]);

function pythonLiteral(value: JsonValue, name: string): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => pythonLiteral(item, name)).join(", ")}]`;
  const fields = Object.entries(value).map(
    ([key, part]) =>
      `${JSON.stringify(hasOwnKeys.has(name) ? key : snakeCased(key))}: ${pythonLiteral(part, key)}`,
  );
  return `{${fields.join(", ")}}`;
}

/** With the standard library only. */
export function goSample(described: DescribedOperation, origin: string): string {
  const { method, body, takesFile } = described;
  const hasJson = !takesFile && body !== undefined;
  const isMutation = method !== "GET";
  const imports = [
    ...(takesFile ? ["bytes"] : []),
    ...(isMutation ? ["crypto/rand", "encoding/hex"] : []),
    "io",
    "log",
    ...(takesFile ? ["mime/multipart"] : []),
    "net/http",
    "os",
    ...(hasJson ? ["strings"] : []),
  ];
  const content = takesFile
    ? [
        `file, err := os.ReadFile("returns.pdf")`,
        "check(err)",
        "body := &bytes.Buffer{}",
        "form := multipart.NewWriter(body)",
        `part, err := form.CreateFormFile("file", "returns.pdf")`,
        "check(err)",
        "_, err = part.Write(file)",
        "check(err)",
        "check(form.Close())",
        "",
      ]
    : hasJson
      ? [`body := strings.NewReader(\`${indented(JSON.stringify(body, null, 2), "\t")}\`)`]
      : [];
  const lines = [
    ...content,
    `request, err := http.NewRequest("${method}", "${urlOf(described, origin)}", ${takesFile || hasJson ? "body" : "nil"})`,
    "check(err)",
    `request.Header.Set("Authorization", "Bearer "+os.Getenv("PARLANCE_API_KEY"))`,
    ...(hasJson ? [`request.Header.Set("Content-Type", "application/json")`] : []),
    ...(takesFile ? [`request.Header.Set("Content-Type", form.FormDataContentType())`] : []),
    ...(isMutation
      ? [
          "key := make([]byte, 16)",
          "_, err = rand.Read(key)",
          "check(err)",
          `request.Header.Set("Idempotency-Key", hex.EncodeToString(key))`,
        ]
      : []),
    "",
    "response, err := http.DefaultClient.Do(request)",
    "check(err)",
    "defer response.Body.Close()",
    "_, err = io.Copy(os.Stdout, response.Body)",
    "check(err)",
  ];
  return `package main

import (
${imports.map((name) => `\t"${name}"`).join("\n")}
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
${lines.map((line) => (line ? `\t${line}` : "")).join("\n")}
}`;
}

/** With PHP's own curl extension. */
export function phpSample(described: DescribedOperation, origin: string): string {
  const { method, body, takesFile, operation } = described;
  const hasJson = !takesFile && body !== undefined;
  const headers = [
    `"Authorization: Bearer " . getenv("PARLANCE_API_KEY")`,
    ...(method === "GET" ? [] : [`"Idempotency-Key: " . bin2hex(random_bytes(16))`]),
    ...(hasJson ? [`"Content-Type: application/json"`] : []),
  ];
  const settings = [
    ...(method === "GET" ? [] : [`CURLOPT_CUSTOMREQUEST => "${method}"`]),
    // Without it, curl prints a stream as it arrives.
    ...(isStream(operation) ? [] : ["CURLOPT_RETURNTRANSFER => true"]),
    `CURLOPT_HTTPHEADER => [\n        ${headers.join(",\n        ")},\n    ]`,
    ...(takesFile ? [`CURLOPT_POSTFIELDS => ["file" => new CURLFile("returns.pdf")]`] : []),
    ...(hasJson ? [`CURLOPT_POSTFIELDS => json_encode(${phpLiteral(body, "    ")})`] : []),
  ];
  const run = isStream(operation) ? "curl_exec($request);" : "echo curl_exec($request);";
  return `<?php

$request = curl_init(${phpString(urlOf(described, origin))});
curl_setopt_array($request, [
    ${settings.join(",\n    ")},
]);
${run}`;
}

const phpString = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function phpLiteral(value: JsonValue, indent: string): string {
  if (typeof value === "string") return phpString(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const items = Array.isArray(value)
    ? value.map((item) => phpLiteral(item, `${indent}    `))
    : Object.entries(value).map(
        ([key, part]) => `${phpString(key)} => ${phpLiteral(part, `${indent}    `)}`,
      );
  // An empty array would become a list.
  if (items.length === 0) return Array.isArray(value) ? "[]" : "new stdClass()";
  return `[\n${items.map((item) => `${indent}    ${item},`).join("\n")}\n${indent}]`;
}
