import { notFound } from "next/navigation";
import { objectNames } from "@/app/docs/content/reference";
import { DocsPage } from "@/app/docs/docs-page";
import { InlineMarkdown } from "@/components/docs/inline-markdown";
import { OldAnchors } from "@/components/docs/old-anchors";
import { OperationList } from "@/components/docs/operation-list";
import { PageTitle } from "@/components/docs/prose";
import { SchemaFields } from "@/components/docs/schema-fields";
import { genericDocument } from "@/lib/api/openapi";
import { operationPath, referencePath, referenceToSchema } from "@/lib/platform/openapi";
import { describedOperations, tagAt } from "../described";

type Props = { params: Promise<{ tag: string }> };

export async function generateMetadata({ params }: Props) {
  return { title: `${tagAt((await params).tag)?.name ?? "Not found"} · API reference` };
}

export default async function TagPage({ params }: Props) {
  const tag = tagAt((await params).tag);
  const operations = tag ? describedOperations(tag.name) : [];
  if (!tag || operations.length === 0) notFound();
  const { schemas } = genericDocument().components;
  const pages = operations.map(({ operation: { operationId } }) => [
    operationId,
    operationPath(tag.name, operationId),
  ]);
  return (
    <DocsPage path={referencePath(tag.name)} isWide>
      <PageTitle
        eyebrow="API reference"
        title={tag.name}
        summary={<InlineMarkdown text={tag.description} />}
      />
      <OldAnchors pages={Object.fromEntries(pages)} />
      <div className="max-w-5xl">
        <OperationList tag={tag.name} operations={operations} />
        <h2 id="objects" className="mt-10 mb-3 scroll-mt-20 font-semibold text-xl tracking-tight">
          <a href="#objects" className="hover:underline hover:underline-offset-4">
            Objects
          </a>
        </h2>
        <div className="space-y-2">
          {objectNames(tag.name).map((name) => (
            <details key={name} className="rounded-xl border border-line bg-surface">
              <summary className="flex h-11 items-center px-4 font-mono text-[0.8125rem]">
                {name}
              </summary>
              <div className="border-line border-t p-4">
                <SchemaFields schema={referenceToSchema(name)} schemas={schemas} />
              </div>
            </details>
          ))}
        </div>
      </div>
    </DocsPage>
  );
}
