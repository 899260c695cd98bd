import { anchorOf } from "@/components/docs/heading-anchor";
import { curlSample, type DescribedOperation } from "@/components/docs/samples";
import { genericDocument } from "@/lib/api/openapi";
import { errorKinds, isErrorKind } from "@/lib/platform/errors";
import { nameOfReference, referencePath, referenceToSchema } from "@/lib/platform/openapi";
import { describedOperations } from "../reference/described";
import { type DocsDocument, type DocsSection, jsonBlock } from "./document";
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
    markdown: [
      description,
      "",
      ...describedOperations(name).map(
        ({ method, path, operation: { operationId, summary } }) =>
          `- [\`${method} ${path}\`](${referencePath(name)}#${operationId}): ${summary}`,
      ),
    ].join("\n"),
  })),
});

export const tagDocuments = (): DocsDocument[] =>
  referenceTags().map(({ name, description }) => {
    const operations = describedOperations(name);
    return {
      path: referencePath(name),
      title: name,
      summary: description,
      source: "lib/api/openapi.ts",
      intro: "",
      sections: [...operations.map(operationSection), ...objectSections(operations)],
    };
  });

function operationSection(described: DescribedOperation): DocsSection {
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
    `\`${method} ${path}\``,
    description,
    ...(fields.length > 0 ? [`Parameters:`, fields.join("\n")] : []),
    ...Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) => [
      `Body, \`${type}\`${requestBody?.required ? "" : ", optional"}:`,
      objectLines(schemas, schema).join("\n"),
    ]),
    `\`\`\`bash\n${curlSample(described, "%ORIGIN%")}\n\`\`\``,
    `Response ${status}${media ? `: ${nameOfReference(media.schema) ?? "object"}` : ""}.`,
    ...(media?.example === undefined ? [] : [jsonBlock(media.example)]),
    `Problems: ${kinds
      .filter(isErrorKind)
      .map((kind) => `[${errorKinds[kind].status} ${kind}](/docs/errors/${kind})`)
      .join(", ")}.`,
  ];
  return { title: summary, anchor: operationId, level: 2, markdown: parts.join("\n\n") };
}

/** The objects that the operations of a page return, each described once. */
function objectSections(operations: DescribedOperation[]): DocsSection[] {
  const { schemas } = genericDocument().components;
  const names = operations.flatMap(({ operation: { responses } }) =>
    Object.values(responses).flatMap(({ content = {} }) =>
      Object.entries(content)
        .filter(([type]) => type !== "application/problem+json")
        .flatMap(([, { schema }]) => nameOfReference(schema) ?? []),
    ),
  );
  const objects = [...new Set(names)].map((name) => {
    const lines = objectLines(schemas, referenceToSchema(name), { seen: [name] });
    return [`**${name}**`, lines.join("\n")].join("\n\n");
  });
  return [{ title: "Responses", anchor: "", level: 2, markdown: objects.join("\n\n") }];
}
