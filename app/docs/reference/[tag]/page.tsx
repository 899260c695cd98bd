import { notFound } from "next/navigation";
import { InlineMarkdown } from "@/components/docs/inline-markdown";
import { Operation } from "@/components/docs/operation";
import { PageTitle } from "@/components/docs/prose";
import { publishedDocument } from "@/lib/api/openapi";
import { referencePath } from "@/lib/platform/openapi";
import { describedOperations, problemTitles } from "../described";

type Props = { params: Promise<{ tag: string }> };

const tagAt = (slug: string) =>
  publishedDocument().tags.find(({ name }) => referencePath(name) === `/docs/reference/${slug}`);

export async function generateMetadata({ params }: Props) {
  return { title: `${tagAt((await params).tag)?.name ?? "Not found"} · API reference` };
}

export default async function TagPage({ params }: Props) {
  const tag = tagAt((await params).tag);
  const operations = tag ? describedOperations(tag.name) : [];
  if (!tag || operations.length === 0) notFound();
  const { schemas } = publishedDocument().components;
  return (
    <article>
      <PageTitle
        eyebrow="API reference"
        title={tag.name}
        summary={<InlineMarkdown text={tag.description} />}
      />
      {operations.map((described) => (
        <Operation
          key={described.operation.operationId}
          described={described}
          schemas={schemas}
          titles={problemTitles}
        />
      ))}
    </article>
  );
}
