import Link from "next/link";
import type { ReactNode } from "react";
import {
  type ApiResponse,
  type JsonSchema,
  type MediaType,
  nameOfReference,
} from "@/lib/platform/openapi";
import { Code } from "./code";
import { CodeTabs } from "./code-tabs";
import { InlineCode, InlineMarkdown } from "./inline-markdown";
import { sampleLanguages } from "./sample-languages";
import { type DescribedOperation, exampleValue, isStream } from "./samples";
import { Field, SchemaFields } from "./schema-fields";
import { TryIt } from "./try-it";

type OperationProps = {
  described: DescribedOperation;
  schemas: Record<string, JsonSchema>;
  titles: Record<string, string>;
};

/**
 * One operation: parameters and responses on the left, sample code and a form to try it on the right.
 */
export function Operation({ described, schemas, titles }: OperationProps) {
  const { method, path, operation, parameters } = described;
  const { operationId, summary, description, responses } = operation;
  const [[status, success] = ["", undefined], ...problems] = Object.entries(responses);
  const said = description.replace(/(^|\n\n)Needs the scope `[^`]+`\.$/, "");
  return (
    <section id={operationId} aria-label={summary}>
      <p className="text-muted">
        Scope <InlineCode>{operation["x-required-scope"]}</InlineCode>
      </p>
      <div className="mt-6 grid gap-8 xl:grid-cols-2">
        <div className="min-w-0 space-y-7">
          {said ? (
            <p className="leading-6">
              <InlineMarkdown text={said} />
            </p>
          ) : null}
          {(["path", "query", "header"] as const).map((place) => (
            <Parameters key={place} place={place} described={described} schemas={schemas} />
          ))}
          <Body described={described} schemas={schemas} />
          <Success status={status} response={success} schemas={schemas} />
          <Problems responses={problems} titles={titles} />
        </div>
        <div className="min-w-0">
          <div className="space-y-4 xl:sticky xl:top-20">
            <CodeTabs
              label="Request"
              tabs={sampleLanguages.map(({ name, language, write }) => ({
                name,
                content: <Code code={write(described, "%ORIGIN%")} language={language} />,
              }))}
            />
            <Example media={success?.content?.["application/json"]} title={`Response, ${status}`} />
            <Example
              media={success?.content?.["text/event-stream"]}
              title="The data of an event in the stream"
            />
            {isStream(operation) ? null : (
              <TryIt
                operationId={operationId}
                method={method}
                path={path}
                takesFile={described.takesFile}
                body={described.body === undefined ? null : JSON.stringify(described.body, null, 2)}
                fields={parameters.flatMap((parameter) =>
                  parameter.in === "header"
                    ? []
                    : {
                        name: parameter.name,
                        place: parameter.in,
                        isRequired: parameter.required,
                        placeholder: hintOf(exampleValue(parameter)),
                      },
                )}
              />
            )}
          </div>
        </div>
      </div>
    </section>
  );
}

/** A placeholder that only repeats the name says nothing. */
const hintOf = (example: string) => (example.startsWith("{") ? "" : example);

function Block({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <div>
      <h2 className="mb-3 border-line border-b pb-2 font-semibold text-sm">{title}</h2>
      {children}
    </div>
  );
}

const placeTitles = { path: "In the path", query: "Query", header: "Headers" } as const;

function Parameters({
  place,
  described,
  schemas,
}: { place: keyof typeof placeTitles } & Omit<OperationProps, "titles">) {
  const parameters = described.parameters.filter((parameter) => parameter.in === place);
  if (parameters.length === 0) return null;
  return (
    <Block title={placeTitles[place]}>
      <ul className="divide-y divide-line">
        {parameters.map(({ name, schema, description, required }) => (
          <Field
            key={name}
            name={name}
            schema={schema}
            schemas={schemas}
            note={required && place !== "path" ? "required" : undefined}
            {...(description && { description })}
          />
        ))}
      </ul>
    </Block>
  );
}

function Body({ described: { operation }, schemas }: Omit<OperationProps, "titles">) {
  const { requestBody } = operation;
  if (!requestBody) return null;
  return Object.entries(requestBody.content).map(([type, { schema }]) => (
    <Block
      key={type}
      title={
        <>
          Body{" "}
          <span className="font-normal text-muted text-xs">
            {requestBody.required ? type : `${type}, optional`}
          </span>
        </>
      }
    >
      <SchemaFields schema={schema} schemas={schemas} showRequired />
    </Block>
  ));
}

type SuccessProps = {
  status: string;
  response: ApiResponse | undefined;
  schemas: Record<string, JsonSchema>;
};

function Success({ status, response, schemas }: SuccessProps) {
  const [type, media] = Object.entries(response?.content ?? {})[0] ?? [];
  if (!media) return null;
  const { schema } = media;
  return (
    <Block
      title={
        <>
          Response{" "}
          <span className="font-normal text-muted text-xs">{`${status}, ${type === "text/event-stream" ? "stream of " : ""}${nameOfReference(schema) ?? "object"}`}</span>
        </>
      }
    >
      <details>
        <summary className="inline-flex h-8 items-center rounded-lg border border-line px-2.5 text-muted hover:bg-sunken hover:text-ink">
          Fields
        </summary>
        <div className="mt-3">
          <SchemaFields schema={schema} schemas={schemas} />
        </div>
      </details>
    </Block>
  );
}

function Problems({
  responses,
  titles,
}: {
  responses: [string, ApiResponse][];
  titles: Record<string, string>;
}) {
  return (
    <Block title="Problems">
      <ul className="space-y-1.5">
        {responses.flatMap(([status, response]) =>
          (response["x-problem-kinds"] ?? []).map((kind) => (
            <li key={kind} className="flex gap-3">
              <span className="w-8 shrink-0 font-mono text-muted text-xs leading-5">{status}</span>
              <span>
                <Link
                  href={`/docs/errors/${kind}`}
                  className="font-mono text-[0.8125rem] text-accent underline underline-offset-2 hover:no-underline"
                >
                  {kind}
                </Link>{" "}
                <span className="text-muted">{titles[kind]}</span>
              </span>
            </li>
          )),
        )}
      </ul>
    </Block>
  );
}

function Example({ media, title }: { media: MediaType | undefined; title: string }) {
  if (!media?.example) return null;
  return <Code code={JSON.stringify(media.example, null, 2)} language="json" title={title} />;
}
