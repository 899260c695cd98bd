"use client";

import { CopyButton } from "./copy";
import { Link } from "./link";

const tokenColors = { key: "text-accent", string: "text-good", other: "text-warn" } as const;

/**
 * One token: a key with its colon, a string, a number, true, false or null. All text between tokens is
 * punctuation.
 */
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g;

/** An object exactly as the API returns it. */
export function Json({
  value,
  label,
  base,
}: {
  value: unknown;
  label: string;
  base?: string | undefined;
}) {
  return <JsonText text={JSON.stringify(value, null, 2) ?? "null"} label={label} base={base} />;
}

type JsonTextProps = {
  text: string;
  label: string;
  /** The prefix of links in this environment. With it, ids become links. */
  base?: string | undefined;
};

/** Shows a text that may be JSON. JSON is indented, and other text is shown unchanged. */
export function JsonText({ text, label, base }: JsonTextProps) {
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
          {colored(laidOut, base)}
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

/** A text that is the id of something with a page. */
const linkedId = /^"((?:cnv|msg|cus|agt|kb|doc|whk|dlv|evt|req|key)_[0-9A-HJKMNP-TV-Z]{26})"$/;

function colored(text: string, base: string | undefined) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, string, colon] = match;
    if (match.index > end) parts.push(text.slice(end, match.index));
    const color = string ? (colon ? tokenColors.key : tokenColors.string) : tokenColors.other;
    parts.push(
      <span key={match.index} className={color}>
        {base && string && !colon ? linked(string, base) : (string ?? whole)}
      </span>,
    );
    if (colon) parts.push(colon);
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts;
}

function linked(string: string, base: string) {
  const [, id] = linkedId.exec(string) ?? [];
  if (!id) return string;
  return (
    <>
      "
      <Link
        href={`${base}/go/${id}`}
        prefetch={false}
        className="underline underline-offset-2 hover:text-ink"
      >
        {id}
      </Link>
      "
    </>
  );
}
