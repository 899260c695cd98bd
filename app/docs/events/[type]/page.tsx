import Link from "next/link";
import { notFound } from "next/navigation";
import { dataOf, notesOf } from "@/app/docs/content/events";
import { DocsPage } from "@/app/docs/docs-page";
import { Code } from "@/components/docs/code";
import { InlineMarkdown } from "@/components/docs/inline-markdown";
import { PageTitle, Prose, proseComponents } from "@/components/docs/prose";
import { SchemaFields } from "@/components/docs/schema-fields";
import { describedEvents } from "@/lib/api/event-reference";
import { genericDocument } from "@/lib/api/openapi";
import { type EventType, eventTypes } from "@/lib/events/event-types";

type Props = { params: Promise<{ type: string }> };

const { h2: Title, ul: List, p: Paragraph, a: Anchor } = proseComponents;
const typeNamed = (name: string): EventType | undefined => eventTypes.find((type) => type === name);

export async function generateMetadata({ params }: Props) {
  const type = typeNamed((await params).type);
  return { title: type ?? "Not found", description: type && describedEvents[type].description };
}

export default async function EventPage({ params }: Props) {
  const type = typeNamed((await params).type);
  if (!type) notFound();
  const { description, triggers, example } = describedEvents[type];
  return (
    <DocsPage path={`/docs/events/${type}`}>
      <PageTitle
        eyebrow={
          <Link href="/docs/events" className="hover:underline hover:underline-offset-4">
            Event catalog
          </Link>
        }
        title={type}
        summary={<InlineMarkdown text={description} />}
      />
      <Prose>
        <Title>What raises it</Title>
        <Sentences of={triggers} />
        <Title>Fields of data</Title>
        <div className="rounded-xl border border-line bg-surface p-4 text-sm leading-5">
          <SchemaFields schema={dataOf(type)} schemas={genericDocument().components.schemas} />
        </div>
        <Paragraph>
          The other fields are the same for every event: see{" "}
          <Anchor href="/docs/events#the-envelope">the envelope</Anchor>.
        </Paragraph>
        <Title>Example</Title>
        <Code
          code={JSON.stringify(example, null, 2)}
          language="json"
          title={`Example of ${type}`}
        />
        <Title>Delivery</Title>
        <Sentences of={notesOf(type)} />
        <Paragraph>
          More about <Anchor href="/docs/webhooks">receiving webhooks</Anchor> and{" "}
          <Anchor href="/docs/verify-signatures">verifying signatures</Anchor>.
        </Paragraph>
      </Prose>
    </DocsPage>
  );
}

const Sentences = ({ of }: { of: readonly string[] }) => (
  <List>
    {of.map((sentence) => (
      <li key={sentence}>
        <InlineMarkdown text={sentence} />
      </li>
    ))}
  </List>
);
