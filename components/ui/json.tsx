import { CopyButton } from "./copy";

const tokenColors = { key: "text-accent", string: "text-good", other: "text-warn" } as const;

/**
 * One token: a key with its colon, a string, a number, true, false or null. All text between tokens is
 * punctuation.
 */
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g;

/** An object exactly as the API returns it, highlighted on the server. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return <JsonText text={JSON.stringify(value, null, 2) ?? "null"} label={label} />;
}

/** Shows a text that may be JSON. JSON is indented, and other text is shown unchanged. */
export function JsonText({ text, label }: { text: string; label: string }) {
  const laidOut = layOut(text);
  return (
    <div className="relative rounded-lg border border-line bg-sunken">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard.
        tabIndex={0}
        aria-label={label}
        className="max-h-112 overflow-auto rounded-lg"
      >
        <pre className="whitespace-pre-wrap break-words p-3 pr-12 font-mono text-xs leading-5">
          {colored(laidOut)}
        </pre>
      </section>
      <div className="absolute top-1 right-1">
        <CopyButton text={laidOut} label={`Copy ${label}`} variant="quiet" />
      </div>
    </div>
  );
}

function layOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function colored(text: string) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, string, colon] = match;
    if (match.index > end) parts.push(text.slice(end, match.index));
    const color = string ? (colon ? tokenColors.key : tokenColors.string) : tokenColors.other;
    parts.push(
      <span key={match.index} className={color}>
        {string ?? whole}
      </span>,
    );
    if (colon) parts.push(colon);
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts;
}
