import { notFound } from "next/navigation";
import { DocsPage } from "@/app/docs/docs-page";
import { InlineMarkdown } from "@/components/docs/inline-markdown";
import { KeyLine } from "@/components/docs/key-line";
import { Operation } from "@/components/docs/operation";
import { PageTitle } from "@/components/docs/prose";
import { genericDocument } from "@/lib/api/openapi";
import { referencePath } from "@/lib/platform/openapi";
import { describedOperations, problemTitles } from "../described";

type Props = { params: Promise<{ tag: string }> };

const tagAt = (slug: string) =>
  genericDocument().tags.find(({ name }) => referencePath(name) === `/docs/reference/${slug}`);

export async function generateMetadata({ params }: Props) {
  return { title: `${tagAt((await params).tag)?.name ?? "Not found"} · API reference` };
}

export default async function TagPage({ params }: Props) {
  const tag = tagAt((await params).tag);
  const operations = tag ? describedOperations(tag.name) : [];
  if (!tag || operations.length === 0) notFound();
  const { schemas } = genericDocument().components;
  return (
    <DocsPage path={referencePath(tag.name)} isWide>
      <PageTitle
        eyebrow="API reference"
        title={tag.name}
        summary={<InlineMarkdown text={tag.description} />}
      />
      <KeyLine />
      {operations.map((described) => (
        <Operation
          key={described.operation.operationId}
          described={described}
          schemas={schemas}
          titles={problemTitles}
        />
      ))}
    </DocsPage>
  );
}
