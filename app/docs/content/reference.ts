import { anchorOf } from "@/components/docs/heading-anchor";
import { curlSample, type DescribedOperation } from "@/components/docs/samples";
import { genericDocument } from "@/lib/api/openapi";
import { errorKinds, isErrorKind } from "@/lib/platform/errors";
import {
  nameOfReference,
  operationPath,
  referencePath,
  referenceToSchema,
} from "@/lib/platform/openapi";
import { describedOperations } from "../reference/described";
import { type DocsDocument, jsonBlock } from "./document";
import { fieldLines, objectLines } from "./fields";

/** The tags whose operations you call. */
export const referenceTags = () =>
  genericDocument().tags.filter(({ name }) => name !== "Deliveries");

export const referenceDocument = (): DocsDocument => ({
  path: "/docs/reference",
  title: "API reference",
  summary: "Every operation, with samples in five languages and a form to try it.",
  source: "lib/api/openapi.ts",
  intro: "All paths are below `%ORIGIN%`. For programs: [openapi.json](/docs/openapi.json).",
  sections: referenceTags().map(({ name, description }) => ({
    title: name,
    anchor: anchorOf(name),
    level: 2,
    markdown: [description, "", listOf(describedOperations(name), name)].join("\n"),
  })),
});

/** Each tag with the objects of its operations, followed by a page for each operation. */
export const tagDocuments = (): DocsDocument[] =>
  referenceTags().flatMap(({ name, description }) => {
    const operations = describedOperations(name);
    return [
      {
        path: referencePath(name),
        title: name,
        summary: description,
        source: "lib/api/openapi.ts",
        intro: listOf(operations, name),
        sections: [{ title: "Objects", anchor: "objects", level: 2, markdown: objectsOf(name) }],
      },
      ...operations.map((described) => operationDocument(described, name)),
    ];
  });

const listOf = (operations: DescribedOperation[], tag: string) =>
  operations
    .map(
      ({ method, path, operation: { operationId, summary } }) =>
        `- [\`${method} ${path}\`](${operationPath(tag, operationId)}): ${summary}`,
    )
    .join("\n");

function operationDocument(described: DescribedOperation, tag: string): DocsDocument {
  const { method, path, operation, parameters } = described;
  const { operationId, summary, description, requestBody, responses } = operation;
  const { schemas } = genericDocument().components;
  const [[status, success] = ["", undefined], ...problems] = Object.entries(responses);
  const [media] = Object.values(success?.content ?? {});
  const fields = parameters.flatMap(({ name, schema, description: said, required, in: place }) =>
    fieldLines(schemas, name, schema, {
      isRequired: required && place !== "path",
      description: `In the ${place}.${said ? ` ${said}` : ""}`,
    }),
  );
  const kinds = problems.flatMap(([, response]) => response["x-problem-kinds"] ?? []);
  const parts = [
    description,
    ...(fields.length > 0 ? [`Parameters:`, fields.join("\n")] : []),
    ...Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) => [
      `Body, \`${type}\`${requestBody?.required ? "" : ", optional"}:`,
      objectLines(schemas, schema).join("\n"),
    ]),
    `\`\`\`bash\n${curlSample(described, "%ORIGIN%")}\n\`\`\``,
    `Response ${status}${media ? `: ${objectLink(nameOfReference(media.schema), tag)}` : ""}.`,
    ...(media?.example === undefined ? [] : [jsonBlock(media.example)]),
    `Problems: ${kinds
      .filter(isErrorKind)
      .map((kind) => `[${errorKinds[kind].status} ${kind}](/docs/errors/${kind})`)
      .join(", ")}.`,
  ];
  return {
    path: operationPath(tag, operationId),
    title: summary,
    summary: `\`${method} ${path}\``,
    source: "lib/api/openapi.ts",
    keywords: operationId,
    intro: parts.join("\n\n"),
    sections: [],
  };
}

function objectLink(name: string | undefined, tag: string): string {
  if (!name) return "object";
  const item = itemOf(name);
  const link = `[${item ?? name}](${referencePath(tag)}#objects)`;
  return item ? `a page of ${link}` : link;
}

/** The name of the objects in a page of a list. */
function itemOf(name: string): string | undefined {
  const { nextCursor, data } = genericDocument().components.schemas[name]?.properties ?? {};
  return nextCursor && data?.items ? nameOfReference(data.items) : undefined;
}

/** The names of the objects that the operations of a tag return, alone or in a list. */
export function objectNames(tag: string): string[] {
  const names = describedOperations(tag).flatMap(({ operation: { responses } }) =>
    Object.values(responses).flatMap(({ content = {} }) =>
      Object.entries(content)
        .filter(([type]) => type !== "application/problem+json")
        .flatMap(([, { schema }]) => nameOfReference(schema) ?? []),
    ),
  );
  return [...new Set(names.map((name) => itemOf(name) ?? name))];
}

function objectsOf(tag: string): string {
  const { schemas } = genericDocument().components;
  const objects = objectNames(tag).map((name) => {
    const lines = objectLines(schemas, referenceToSchema(name), { seen: [name] });
    return [`**${name}**`, lines.join("\n")].join("\n\n");
  });
  return objects.join("\n\n");
}
