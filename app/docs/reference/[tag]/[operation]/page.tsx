import Link from "next/link";
import { notFound } from "next/navigation";
import { DocsPage } from "@/app/docs/docs-page";
import { KeyLine } from "@/components/docs/key-line";
import { MethodBadge } from "@/components/docs/method-badge";
import { Operation } from "@/components/docs/operation";
import { PageTitle } from "@/components/docs/prose";
import { genericDocument } from "@/lib/api/openapi";
import { kebabCase, operationPath, referencePath } from "@/lib/platform/openapi";
import { describedOperations, problemTitles, tagAt } from "../../described";

type Props = { params: Promise<{ tag: string; operation: string }> };

async function found({ params }: Props) {
  const { tag: slug, operation: name } = await params;
  const tag = tagAt(slug);
  const described = tag
    ? describedOperations(tag.name).find(
        ({ operation: { operationId } }) => kebabCase(operationId) === name,
      )
    : undefined;
  return tag && described ? { tag: tag.name, described } : null;
}

export async function generateMetadata(props: Props) {
  const { described } = (await found(props)) ?? {};
  return { title: `${described?.operation.summary ?? "Not found"} · API reference` };
}

export default async function OperationPage(props: Props) {
  const { tag, described } = (await found(props)) ?? notFound();
  const { method, path, operation } = described;
  return (
    <DocsPage path={operationPath(tag, operation.operationId)} isWide>
      <PageTitle
        eyebrow={
          <Link href={referencePath(tag)} className="hover:underline hover:underline-offset-4">
            {tag}
          </Link>
        }
        title={operation.summary}
        summary={
          <span className="flex flex-wrap items-center gap-2 font-mono text-[0.8125rem] text-ink">
            <MethodBadge method={method} />
            <span className="break-all">{path}</span>
          </span>
        }
      />
      <KeyLine />
      <Operation
        described={described}
        schemas={genericDocument().components.schemas}
        titles={problemTitles}
      />
    </DocsPage>
  );
}
