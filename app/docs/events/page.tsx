import Link from "next/link";
import { catalogIntro, envelope } from "@/app/docs/content/events";
import { DocsPage } from "@/app/docs/docs-page";
import { InlineMarkdown } from "@/components/docs/inline-markdown";
import { PageTitle, Prose, proseComponents } from "@/components/docs/prose";
import { SchemaFields } from "@/components/docs/schema-fields";
import { eventFamilies } from "@/lib/api/event-reference";
import { genericDocument } from "@/lib/api/openapi";

export const metadata = { title: "Event catalog" };

const { p: Paragraph } = proseComponents;

export default function EventsPage() {
  return (
    <DocsPage path="/docs/events">
      <PageTitle
        title="Event catalog"
        summary="Every type of event, with its trigger, its fields and an example."
      />
      <Prose>
        {catalogIntro.map((text) => (
          <Paragraph key={text}>
            <InlineMarkdown text={text} />
          </Paragraph>
        ))}
      </Prose>
      <section aria-labelledby="the-envelope" className="mt-8 max-w-3xl">
        <h2 id="the-envelope" className="mb-3 scroll-mt-20 font-semibold text-xl tracking-tight">
          The envelope
        </h2>
        <div className="rounded-xl border border-line bg-surface p-4">
          <SchemaFields schema={envelope()} schemas={genericDocument().components.schemas} />
        </div>
      </section>
      {eventFamilies().map(({ name, pattern, types }) => (
        <section key={name} aria-labelledby={name} className="mt-10 max-w-3xl">
          <h2 id={name} className="mb-3 scroll-mt-20 font-mono font-semibold text-lg">
            {pattern}
          </h2>
          <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface">
            {types.map(({ type, description }) => (
              <li key={type}>
                <Link href={`/docs/events/${type}`} className="block px-4 py-3 hover:bg-sunken">
                  <span className="block break-all font-medium font-mono text-[0.8125rem]">
                    {type}
                  </span>
                  <span className="mt-1 block text-muted">
                    <InlineMarkdown text={description} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </DocsPage>
  );
}
