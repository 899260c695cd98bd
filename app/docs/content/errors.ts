import { genericDocument } from "@/lib/api/openapi";
import { problemExample, problemExplanations } from "@/lib/api/problem-explanations";
import { type ErrorKind, errorKinds } from "@/lib/platform/errors";
import { operationPath, referenceToSchema } from "@/lib/platform/openapi";
import { type DocsDocument, jsonBlock } from "./document";
import { objectLines } from "./fields";

const source = "lib/api/problem-explanations.ts";
const kinds = Object.keys(errorKinds) as ErrorKind[];
const bulleted = (items: readonly string[]) => items.map((item) => `- ${item}`).join("\n");

export function errorsDocument(): DocsDocument {
  const rows = kinds.map((kind) => {
    const { what, canRetry } = problemExplanations[kind];
    const link = `[\`${kind}\`](/docs/errors/${kind})`;
    return `| ${errorKinds[kind].status} | ${link} | ${what} | ${canRetry ? "later" : "no"} |`;
  });
  return {
    path: "/docs/errors",
    title: "Errors",
    summary: "The format of error responses, and a page for each kind.",
    source,
    intro: [
      "Every error response is `application/problem+json`, as defined in RFC 9457 (formerly 7807). `type` is the URL of the page for this kind of error. Programs identify the kind by it, or by its last segment. `detail` is for people, and its wording may change.",
      jsonBlock(problemExample("validation", "%ERROR_BASE%")),
    ].join("\n\n"),
    sections: [
      {
        title: "Fields",
        anchor: "fields",
        level: 2,
        markdown: objectLines(
          genericDocument().components.schemas,
          referenceToSchema("Problem"),
        ).join("\n"),
      },
      {
        title: "What to do about it",
        anchor: "what-to-do-about-it",
        level: 2,
        markdown:
          "**4xx** means that you must change the request before it can succeed. For the kinds marked below, wait for `Retry-After` instead, then send it again. **5xx** means that you can send the same request again, with the same `Idempotency-Key`. Every response has an `X-Request-Id`. Include it when you ask for help.",
      },
      {
        title: "All kinds",
        anchor: "all-kinds",
        level: 2,
        markdown: [
          "| Status | Kind | What happened | Try again? |",
          "| --- | --- | --- | --- |",
          ...rows,
        ].join("\n"),
      },
    ],
  };
}

export const errorDocuments = (): DocsDocument[] => kinds.map(errorDocument);

function errorDocument(kind: ErrorKind): DocsDocument {
  const { status, title } = errorKinds[kind];
  const { what, why, howToFix, canRetry } = problemExplanations[kind];
  const operations = operationsWith(kind);
  const where = operations.all
    ? "Every operation can return it."
    : bulleted(operations.links.map(({ href, summary }) => `[${summary}](${href})`));
  return {
    path: `/docs/errors/${kind}`,
    title,
    summary: what,
    source,
    intro: `Status ${status}, kind \`${kind}\`. ${canRetry ? "The same request can succeed later." : "The same request will fail again."}`,
    sections: [
      { title: "Why it happens", anchor: "why-it-happens", level: 2, markdown: bulleted(why) },
      { title: "How to fix it", anchor: "how-to-fix-it", level: 2, markdown: bulleted(howToFix) },
      {
        title: "Example",
        anchor: "example",
        level: 2,
        markdown: jsonBlock(problemExample(kind, "%ERROR_BASE%")),
      },
      ...(where
        ? [
            {
              title: "Where it can occur",
              anchor: "where-it-can-occur",
              level: 2 as const,
              markdown: where,
            },
          ]
        : []),
    ],
  };
}

/** The operations that can return a problem of this kind. */
export function operationsWith(kind: ErrorKind) {
  const all = Object.values(genericDocument().paths).flatMap((methods) => Object.values(methods));
  const found = all.filter(({ responses }) =>
    Object.values(responses).some((response) => response["x-problem-kinds"]?.includes(kind)),
  );
  const links = found.map(({ tags, operationId, summary }) => ({
    href: operationPath(tags[0] ?? "", operationId),
    summary,
  }));
  return { all: found.length === all.length, links };
}
