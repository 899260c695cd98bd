import Link from "next/link";
import { referenceTags } from "@/app/docs/content/reference";
import { DocsPage } from "@/app/docs/docs-page";
import { anchorOf } from "@/components/docs/heading-anchor";
import { InlineMarkdown } from "@/components/docs/inline-markdown";
import { OperationList } from "@/components/docs/operation-list";
import { PageTitle } from "@/components/docs/prose";
import { env } from "@/lib/platform/env";
import { referencePath } from "@/lib/platform/openapi";
import { describedOperations } from "./described";

export const metadata = { title: "API reference" };

export default function ReferencePage() {
  return (
    <DocsPage path="/docs/reference" isWide>
      <PageTitle
        title="API reference"
        summary={
          <>
            Every operation of the API, with a form to try it with your own key. All paths are below{" "}
            <code className="break-all font-mono text-sm">{env().APP_URL}</code>. The same for
            programs:{" "}
            <a
              className="font-medium text-accent underline underline-offset-2"
              href="/docs/openapi.json"
            >
              openapi.json
            </a>
            .
          </>
        }
      />
      <div className="max-w-5xl space-y-10">
        {referenceTags().map(({ name, description }) => (
          <section key={name} aria-labelledby={anchorOf(name)}>
            <h2 id={anchorOf(name)} className="scroll-mt-20 font-semibold text-lg tracking-tight">
              <Link href={referencePath(name)} className="hover:underline hover:underline-offset-4">
                {name}
              </Link>
            </h2>
            <p className="mt-1 mb-3 max-w-3xl text-muted leading-6">
              <InlineMarkdown text={description} />
            </p>
            <OperationList tag={name} operations={describedOperations(name)} />
          </section>
        ))}
      </div>
    </DocsPage>
  );
}
