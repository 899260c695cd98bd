import { Code } from "@/components/docs/code";
import { InlineMarkdown } from "@/components/docs/inline-markdown";
import { PageTitle, Prose, proseComponents } from "@/components/docs/prose";
import { SchemaFields } from "@/components/docs/schema-fields";
import { publishedDocument } from "@/lib/api/openapi";
import { type JsonSchema, referenceToSchema, resolveSchema } from "@/lib/platform/openapi";

export const metadata = { title: "Event catalog" };

const { p: Paragraph } = proseComponents;

export default function EventsPage() {
  const { webhooks, components } = publishedDocument();
  const events = Object.entries(webhooks).map(([type, { post }]) => ({
    type,
    post,
    media: post.requestBody?.content["application/json"],
  }));
  return (
    <article>
      <PageTitle
        title="Event catalog"
        summary="Every type of event, with its schema and an example."
      />
      <Prose>
        <Paragraph>
          <InlineMarkdown text="Each committed change raises one event. It is written in the same transaction and never changes. `data.object` is exactly what the API would have returned for the object at that moment. `previousAttributes` contains the previous values of the fields that changed. `request` is the API request that made the change, or null if a user of the dashboard or the service made it." />
        </Paragraph>
        <Paragraph>
          <InlineMarkdown text="Subscribe to single types, to a family such as `conversation.*`, or to everything with `*`. New types may be added, so respond with 2xx to types that you do not know." />
        </Paragraph>
      </Prose>
      <section aria-labelledby="envelope" className="mt-8 max-w-3xl">
        <h2 id="envelope" className="mb-3 font-semibold text-xl tracking-tight">
          The envelope
        </h2>
        <div className="rounded-xl border border-line bg-surface p-4">
          <SchemaFields schema={referenceToSchema("Event")} schemas={components.schemas} />
        </div>
      </section>
      <h2 className="mt-10 font-semibold text-xl tracking-tight">All types</h2>
      <nav aria-label="Events" className="mt-6 flex max-w-4xl flex-wrap gap-2">
        {events.map(({ type }) => (
          <a
            key={type}
            href={`#${type}`}
            className="rounded-lg border border-line bg-surface px-2.5 py-1 font-mono text-xs hover:bg-sunken"
          >
            {type}
          </a>
        ))}
      </nav>
      <div className="mt-8">
        {events.map(({ type, post, media }) => (
          <section
            key={type}
            id={type}
            aria-labelledby={`${type}-title`}
            className="scroll-mt-20 border-line border-t py-8"
          >
            <h3 id={`${type}-title`} className="font-mono font-semibold text-lg">
              <a href={`#${type}`} className="hover:underline hover:underline-offset-4">
                {type}
              </a>
            </h3>
            <p className="mt-1 text-muted">
              <InlineMarkdown text={post.description} />
            </p>
            <div className="mt-4 grid gap-6 xl:grid-cols-2">
              <div className="min-w-0">
                {
                  <SchemaFields
                    schema={dataOf(media?.schema, components.schemas)}
                    schemas={components.schemas}
                  />
                }
              </div>
              <div className="min-w-0">
                <Code
                  code={JSON.stringify(media?.example, null, 2)}
                  language="json"
                  title={`Example of ${type}`}
                />
              </div>
            </div>
          </section>
        ))}
      </div>
    </article>
  );
}

/** The part of the event that depends on its type. */
const dataOf = (schema: JsonSchema | undefined, schemas: Record<string, JsonSchema>): JsonSchema =>
  (schema && resolveSchema(schemas, schema).properties?.data) ?? {};
