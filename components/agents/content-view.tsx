import type { ReactNode } from "react";
import { Link } from "@/components/ui/link";
import { MetadataList } from "@/components/ui/metadata-list";
import { Facts } from "@/components/ui/panel";
import type { AgentContent } from "@/lib/agents/schema";
import { fieldLabels } from "./field-labels";

type ContentViewProps = { content: AgentContent; nameOf: (id: string) => string; base: string };

/** Shows all fields of a draft or a version, read-only. */
export function ContentView({ content, nameOf, base }: ContentViewProps) {
  const values: Record<keyof AgentContent, ReactNode> = {
    name: content.name,
    description: content.description,
    model: content.model,
    temperature: content.temperature,
    instructions:
      content.instructions === null ? null : (
        <LongText label="Instructions" text={content.instructions} />
      ),
    greeting:
      content.greeting === null ? null : <LongText label="Greeting" text={content.greeting} />,
    knowledgeBaseIds:
      content.knowledgeBaseIds.length > 0 ? (
        <Bases ids={content.knowledgeBaseIds} nameOf={nameOf} base={base} />
      ) : null,
    metadata: <MetadataList metadata={content.metadata} />,
  };
  const fields = Object.keys(fieldLabels) as (keyof AgentContent)[];
  return (
    <Facts facts={fields.map((field) => ({ name: fieldLabels[field], value: values[field] }))} />
  );
}

function LongText({ label, text }: { label: string; text: string }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard.
      tabIndex={0}
      aria-label={label}
      className="max-h-112 overflow-auto whitespace-pre-wrap break-words"
    >
      {text}
    </section>
  );
}

function Bases({
  ids,
  nameOf,
  base,
}: {
  ids: string[];
  nameOf: (id: string) => string;
  base: string;
}) {
  return (
    <ul>
      {ids.map((id) => (
        <li key={id}>
          <Link href={`${base}/knowledge/${id}`} className="text-accent hover:underline">
            {nameOf(id)}
          </Link>
        </li>
      ))}
    </ul>
  );
}
