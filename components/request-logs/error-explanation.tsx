import { InlineMarkdown } from "@/components/docs/inline-markdown";
import { Link } from "@/components/ui/link";
import { Panel } from "@/components/ui/panel";

type ErrorExplanationProps = {
  kind: string;
  title: string;
  explanation: { what: string; howToFix: string[] };
  /** The response body, which may be truncated. */
  body: string | null;
};

type Problem = {
  detail?: unknown;
  errors?: { pointer?: unknown; location?: unknown; message?: unknown }[];
};

/** The issues that the response lists, or its sentence if it lists none. */
export function ErrorFindings({ body }: { body: string | null }) {
  const { detail, errors = [] } = problemIn(body);
  if (errors.length === 0)
    return typeof detail === "string" ? <p className="font-medium">{detail}</p> : null;
  return (
    <ul className="space-y-1">
      {errors.map(({ pointer, location, message }) => (
        <li key={`${location} ${pointer} ${message}`} className="flex flex-wrap gap-x-2">
          <code className="font-mono text-danger text-xs leading-5">{String(location)}</code>
          {String(message)}
        </li>
      ))}
    </ul>
  );
}

/** What was wrong with this request, what this kind of error means, and how to fix it. */
export function ErrorExplanation({ kind, title, explanation, body }: ErrorExplanationProps) {
  return (
    <Panel
      title={title}
      aside={
        <Link href={`/docs/errors/${kind}`} className="text-accent hover:underline">
          Explain this error
        </Link>
      }
    >
      <div className="max-w-prose space-y-3 [overflow-wrap:anywhere]">
        <ErrorFindings body={body} />
        <p className="text-muted">
          <InlineMarkdown text={explanation.what} />
        </p>
        <ul className="list-disc space-y-1 pl-5 text-muted">
          {explanation.howToFix.map((advice) => (
            <li key={advice}>
              <InlineMarkdown text={advice} />
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}

function problemIn(body: string | null): Problem {
  try {
    const problem = JSON.parse(body ?? "");
    return { ...problem, errors: Array.isArray(problem.errors) ? problem.errors : [] };
  } catch {
    return {};
  }
}
