import Link from "next/link";
import { DocsPage } from "@/app/docs/docs-page";
import { Code } from "@/components/docs/code";
import { InlineMarkdown } from "@/components/docs/inline-markdown";
import {
  bodyCell,
  DocsTable,
  headCell,
  PageTitle,
  Prose,
  proseComponents,
} from "@/components/docs/prose";
import { SchemaFields } from "@/components/docs/schema-fields";
import { genericDocument } from "@/lib/api/openapi";
import { problemExample, problemExplanations } from "@/lib/api/problem-explanations";
import { env } from "@/lib/platform/env";
import { type ErrorKind, errorKinds } from "@/lib/platform/errors";
import { referenceToSchema } from "@/lib/platform/openapi";

export const metadata = { title: "Errors" };

const { h2: Title, p: Paragraph } = proseComponents;

export default function ErrorsPage() {
  const kinds = Object.entries(errorKinds) as [ErrorKind, { status: number; title: string }][];
  return (
    <DocsPage path="/docs/errors">
      <PageTitle
        title="Errors"
        summary="The format of error responses, and a page for each kind."
      />
      <Prose>
        <Paragraph>
          Every error response is <InlineMarkdown text="`application/problem+json`" />, as defined
          in RFC 9457 (formerly 7807). <InlineMarkdown text="`type`" /> is the URL of the page for
          this kind of error. Programs identify the kind by it, or by its last segment.{" "}
          <InlineMarkdown text="`detail`" /> is for people, and its wording may change.
        </Paragraph>
        <Code
          code={JSON.stringify(problemExample("validation", env().ERROR_BASE), null, 2)}
          language="json"
          title="422"
        />
        <Title>Fields</Title>
        <div className="rounded-xl border border-line bg-surface p-4 text-sm leading-5">
          <SchemaFields
            schema={referenceToSchema("Problem")}
            schemas={genericDocument().components.schemas}
          />
        </div>
        <Title>What to do about it</Title>
        <Paragraph>
          <InlineMarkdown text="**4xx** means that you must change the request before it can succeed. For the kinds marked below, wait for `Retry-After` instead, then send it again. **5xx** means that you can send the same request again, with the same `Idempotency-Key`. Every response has an `X-Request-Id`. Include it when you ask for help." />
        </Paragraph>
        <Title>All kinds</Title>
      </Prose>
      <div className="max-w-4xl">
        <DocsTable>
          <thead>
            <tr>
              <th className={headCell}>Status</th>
              <th className={headCell}>Kind</th>
              <th className={headCell}>What happened</th>
              <th className={headCell}>Try again?</th>
            </tr>
          </thead>
          <tbody>
            {kinds.map(([kind, { status }]) => (
              <tr key={kind}>
                <td className={`${bodyCell} font-mono text-xs`}>{status}</td>
                <td className={`${bodyCell} whitespace-nowrap`}>
                  <Link
                    href={`/docs/errors/${kind}`}
                    className="font-mono text-[0.8125rem] text-accent underline underline-offset-2 hover:no-underline"
                  >
                    {kind}
                  </Link>
                </td>
                <td className={`${bodyCell} min-w-60`}>
                  <InlineMarkdown text={problemExplanations[kind].what} />
                </td>
                <td className={bodyCell}>{problemExplanations[kind].canRetry ? "later" : "no"}</td>
              </tr>
            ))}
          </tbody>
        </DocsTable>
      </div>
    </DocsPage>
  );
}
