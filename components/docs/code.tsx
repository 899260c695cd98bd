import { CopyButton } from "@/components/ui/copy";
import { env } from "@/lib/platform/env";
import { highlight, type Language, languages } from "./highlight";
import { wheelName } from "./wheel-name";

type CodeProps = { code: string; language?: string; title?: string };

/** A block of code with a button that copies it. */
export async function Code({ code, language = "text", title }: CodeProps) {
  const text = fillPlaceholders(code.trimEnd());
  const html = await highlight(
    text,
    languages.find((name): name is Language => name === language) ?? "text",
  );
  return (
    <figure className="my-5 overflow-hidden rounded-xl border border-line bg-sunken first:mt-0 last:mb-0">
      {title ? (
        <figcaption className="flex h-9 items-center border-line border-b px-4 font-medium text-muted text-xs">
          {title}
        </figcaption>
      ) : null}
      {/* Side by side, so that the button covers no code on a narrow screen. */}
      <div className="flex items-start">
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the coloring's own HTML, in which the code is escaped. */}
        <div className="min-w-0 flex-1" dangerouslySetInnerHTML={{ __html: html }} />
        <div className="p-1">
          <CopyButton
            text={text}
            label={title ? `Copy ${title}` : "Copy the code"}
            variant="quiet"
          />
        </div>
      </div>
    </figure>
  );
}

/** Fills in the addresses of this installation and the prefix of its keys. */
export function fillPlaceholders(text: string): string {
  const { APP_URL, ERROR_BASE, SERVICE_PREFIX } = env();
  return text
    .replaceAll("%ORIGIN%", APP_URL)
    .replaceAll("%ERROR_BASE%", ERROR_BASE)
    .replaceAll("%PREFIX%", SERVICE_PREFIX)
    .replaceAll("%WHEEL%", wheelName);
}
