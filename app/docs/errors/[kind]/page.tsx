import Link from "next/link";
import { notFound } from "next/navigation";
import { Code } from "@/components/docs/code";
import { InlineMarkdown } from "@/components/docs/inline-markdown";
import { PageTitle, Prose, proseComponents } from "@/components/docs/prose";
import { Badge } from "@/components/ui/badge";
import { publishedDocument } from "@/lib/api/openapi";
import { problemExample, problemExplanations } from "@/lib/api/problem-explanations";
import { env } from "@/lib/platform/env";
import { type ErrorKind, errorKinds, isErrorKind } from "@/lib/platform/errors";
import { referencePath } from "@/lib/platform/openapi";

type Props = { params: Promise<{ kind: string }> };

const { h2: Title, ul: List } = proseComponents;

export async function generateMetadata({ params }: Props) {
  const { kind } = await params;
  return { title: isErrorKind(kind) ? `${kind}: ${errorKinds[kind].title}` : "Not found" };
}

/** The page that the `type` of a problem links to. */
export default async function ErrorKindPage({ params }: Props) {
  const { kind } = await params;
  if (!isErrorKind(kind)) notFound();
  const { status, title } = errorKinds[kind];
  const { what, why, howToFix, canRetry } = problemExplanations[kind];
  const operations = operationsWith(kind);
  return (
    <article>
      <PageTitle
        eyebrow={
          <Link href="/docs/errors" className="hover:underline hover:underline-offset-4">
            Errors
          </Link>
        }
        title={title}
        summary={<InlineMarkdown text={what} />}
      />
      <p className="-mt-4 mb-8 flex flex-wrap items-center gap-2">
        <Badge variant="danger">{status}</Badge>
        <code className="font-mono text-[0.8125rem]">{kind}</code>
        <span className="text-muted">
          {canRetry ? "The same request can succeed later." : "The same request will fail again."}
        </span>
      </p>
      <Prose>
        <Title>Why it happens</Title>
        <List>
          {why.map((reason) => (
            <li key={reason}>
              <InlineMarkdown text={reason} />
            </li>
          ))}
        </List>
        <Title>How to fix it</Title>
        <List>
          {howToFix.map((advice) => (
            <li key={advice}>
              <InlineMarkdown text={advice} />
            </li>
          ))}
        </List>
        <Title>Example</Title>
        <Code
          code={JSON.stringify(problemExample(kind, env().ERROR_BASE), null, 2)}
          language="json"
          title={`${status} application/problem+json`}
        />
        {operations.all ? (
          <p className="mt-8 text-muted">Every operation can return it.</p>
        ) : operations.links.length > 0 ? (
          <>
            <Title>Where it can occur</Title>
            <List>
              {operations.links.map(({ href, summary }) => (
                <li key={href}>
                  <Link
                    href={href}
                    className="font-medium text-accent underline underline-offset-2 hover:no-underline"
                  >
                    {summary}
                  </Link>
                </li>
              ))}
            </List>
          </>
        ) : null}
      </Prose>
    </article>
  );
}

function operationsWith(kind: ErrorKind) {
  const all = Object.values(publishedDocument().paths).flatMap((methods) => Object.values(methods));
  const found = all.filter(({ responses }) =>
    Object.values(responses).some((response) => response["x-problem-kinds"]?.includes(kind)),
  );
  const links = found.map(({ tags, operationId, summary }) => ({
    href: `${referencePath(tags[0] ?? "")}#${operationId}`,
    summary,
  }));
  return { all: found.length === all.length, links };
}
