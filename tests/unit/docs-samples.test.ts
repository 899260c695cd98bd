import { describe, expect, test } from "vitest";
import { apiCallSamples } from "@/app/docs/reference/api-call-samples";
import { describedOperations } from "@/app/docs/reference/described";
import { docsPages } from "@/components/docs/docs-pages";
import { clientCall, curlSample, fillPath, isStream } from "@/components/docs/samples";
import { problemExplanations } from "@/lib/api/problem-explanations";
import { errorKinds } from "@/lib/platform/errors";
import { Parlance } from "@/sdk/src/index";

describe("the samples of the reference", () => {
  const operations = describedOperations();

  test.each(operations.map((described) => [described.operation.operationId, described] as const))(
    "%s: the TypeScript sample makes the request that is described",
    async (_operationId, described) => {
      const requests: Request[] = [];
      const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
        requests.push(new Request(input, init));
        const { "application/json": json, "text/event-stream": stream } =
          described.operation.responses["200"]?.content ?? {};
        if (stream)
          return new Response(`data: ${JSON.stringify(stream.example)}\n\n`, {
            headers: { "content-type": "text/event-stream" },
          });
        return Response.json(json?.example ?? {});
      };
      const parlance = new Parlance(`prl_test_${"a".repeat(40)}`, {
        baseUrl: "http://localhost:3000",
        fetch,
      });

      const result = new Function("parlance", `return ${clientCall(described)}`)(parlance);
      await (isStream(described.operation) ? result.next() : result);

      expect(requests).toHaveLength(1);
      const [request] = requests;
      expect(request?.method).toBe(described.method);
      expect(new URL(request?.url ?? "").pathname).toBe(
        fillPath(described.path, described.parameters),
      );
      const isSent =
        described.body !== undefined && Object.keys(described.body as object).length > 0;
      if (isSent && !described.takesFile) expect(await request?.json()).toEqual(described.body);
    },
  );

  test("curl samples are valid shell with the method, the path and the body", () => {
    for (const described of operations) {
      const sample = curlSample(described, "http://localhost:3000");
      expect(sample).toContain(
        `"http://localhost:3000${fillPath(described.path, described.parameters)}`,
      );
      const [, data] = /-d '(.*)'$/s.exec(sample) ?? [];
      if (data) expect(JSON.parse(data.replaceAll("'\\''", "'"))).toEqual(described.body);
    }
  });
});

test("the call of a form with a file names the file in each language, and sends no JSON", () => {
  const call = {
    operationId: "replaceDocument",
    ids: { knowledgeBaseId: "kb_1", documentId: "doc_1" },
    body: {},
    file: `it's "new";.md`,
  } as const;
  const { samples } = apiCallSamples(call, "http://localhost:3000") ?? {};
  const [curl, typescript, python] = samples?.map(({ code }) => code) ?? [];
  expect(curl).toContain(
    '-X PUT "http://localhost:3000/v1/public/knowledge-bases/kb_1/documents/doc_1"',
  );
  expect(curl).toContain(`-F 'file=@"it'\\''s \\"new\\";.md"'`);
  expect(curl).not.toContain("application/json");
  expect(typescript).toContain('import { openAsBlob } from "node:fs";');
  expect(typescript).toContain(
    `documents.replace("kb_1", "doc_1", { file: await openAsBlob("it's \\"new\\";.md"), name: "it's \\"new\\";.md" })`,
  );
  expect(python).toContain(`file=open("it's \\"new\\";.md", "rb")`);
});

test("every page of the navigation has a summary and its own path", () => {
  expect(new Set(docsPages.map(({ path }) => path)).size).toBe(docsPages.length);
  for (const { summary } of docsPages) expect(summary.length).toBeGreaterThan(10);
});

test("every kind of problem is explained, with its cause and its fix", () => {
  for (const kind of Object.keys(errorKinds) as (keyof typeof errorKinds)[]) {
    const { what, why, howToFix } = problemExplanations[kind];
    for (const text of [what, ...why, ...howToFix]) expect(text).toMatch(/^[A-Z`].*[.]$/);
    expect(why.length * howToFix.length).toBeGreaterThan(0);
  }
});
