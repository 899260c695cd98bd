import Link from "next/link";
import { DocsPage as Frame } from "@/app/docs/docs-page";
import { docsSections } from "@/components/docs/docs-pages";
import { anchorOf } from "@/components/docs/heading-anchor";
import { PageTitle } from "@/components/docs/prose";

export const metadata = { title: "Overview" };

export default function DocsPage() {
  return (
    <Frame path="/docs">
      <PageTitle
        title="Parlance documentation"
        summary="Conversations over a REST API, with reliable webhooks. Start with the quickstart, or go to the reference."
      />
      <div className="max-w-5xl space-y-10">
        {docsSections.map(({ title, pages }) => (
          <section key={title} aria-labelledby={anchorOf(title)}>
            <h2
              id={anchorOf(title)}
              className="mb-3 scroll-mt-20 font-semibold text-lg tracking-tight"
            >
              {title}
            </h2>
            <ul className="grid gap-3 sm:grid-cols-2 2xl:grid-cols-3">
              {pages
                .filter(({ path }) => path !== "/docs")
                .map(({ path, title: name, summary }) => (
                  <li key={path}>
                    <Link
                      href={path}
                      className="block h-full rounded-xl border border-line bg-surface p-4 transition-colors hover:border-line-strong"
                    >
                      <span className="block font-medium">{name}</span>
                      <span className="mt-1 block text-muted">{summary}</span>
                    </Link>
                  </li>
                ))}
            </ul>
          </section>
        ))}
        <p className="text-muted">
          For programs:{" "}
          <a
            className="font-medium text-accent underline underline-offset-2"
            href="/docs/openapi.json"
          >
            openapi.json
          </a>{" "}
          (OpenAPI 3.1),{" "}
          <a className="font-medium text-accent underline underline-offset-2" href="/llms.txt">
            llms.txt
          </a>{" "}
          and{" "}
          <a className="font-medium text-accent underline underline-offset-2" href="/llms-full.txt">
            llms-full.txt
          </a>
          . Add <code className="font-mono text-sm">.md</code> to the address of any page for its
          Markdown.
        </p>
      </div>
    </Frame>
  );
}
