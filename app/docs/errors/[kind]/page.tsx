import Link from "next/link";
import { notFound } from "next/navigation";
import { operationsWith } from "@/app/docs/content/errors";
import { DocsPage } from "@/app/docs/docs-page";
import { Code } from "@/components/docs/code";
import { InlineMarkdown } from "@/components/docs/inline-markdown";
import { PageTitle, Prose, proseComponents } from "@/components/docs/prose";
import { Badge } from "@/components/ui/badge";
import { problemExample, problemExplanations } from "@/lib/api/problem-explanations";
import { env } from "@/lib/platform/env";
import { errorKinds, isErrorKind } from "@/lib/platform/errors";

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
    <DocsPage path={`/docs/errors/${kind}`}>
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
          <>
            <Title>Where it can occur</Title>
            <p className="text-muted">Every operation can return it.</p>
          </>
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
    </DocsPage>
  );
}
