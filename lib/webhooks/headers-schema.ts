import { z } from "zod";
import { storedText } from "@/lib/platform/schema";

export const maximumHeaders = 10;
/** Of all names and values together. Many servers accept 8 KiB of headers in all. */
export const maximumHeaderBytes = 4_096;

const nameLength = 100;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/**
 * What RFC 9110 allows in ASCII: visible characters, with spaces and tabs only between them. No line
 * breaks.
 */
const printable = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that a webhook cannot set, and why. In lower case. */
const reserved: [names: RegExp, reason: string][] = [
  [/^(?:webhook-|x-service-)/, "it describes and signs the delivery"],
  [/^(?:traceparent|tracestate)$/, "it names the trace of the delivery"],
  [/^(?:content-|accept-encoding$|user-agent$)/, "Parlance sets it for every delivery"],
  [
    /^(?:host|connection|date|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings)$/,
    "it controls the connection",
  ],
  // A server that is tricked into calling them cannot set these headers. Neither can this one.
  [
    /^(?:metadata|metadata-flavor|x-google-metadata-.*|x-aws-ec2-metadata-.*)$/,
    "it unlocks the metadata services of clouds",
  ],
];

const reasonAgainst = (name: string) => reserved.find(([names]) => names.test(name))?.[1];

/** Checked below, so that the error of a name says what is wrong with it. */
const name = z.string().meta({ minLength: 1, maxLength: nameLength, pattern: token.source });

const value = z
  .string()
  .max(2_048)
  .regex(
    printable,
    "must consist of visible ASCII characters, with spaces and tabs only between them and no line breaks",
  );

const checkNames = (headers: Record<string, unknown>, context: z.RefinementCtx): void => {
  const seen = new Set<string>();
  const names = Object.keys(headers);
  const refuse = (name: string, code: string, message: string) =>
    context.addIssue({ code: "custom", path: [name], params: { code }, message });
  for (const name of names.slice(0, maximumHeaders)) {
    if (name.length > nameLength || !token.test(name)) {
      refuse(
        name,
        "invalid_name",
        `must have a name of at most ${nameLength} letters, digits and hyphens`,
      );
      continue;
    }
    const lower = name.toLowerCase();
    const reason = reasonAgainst(lower);
    if (reason) refuse(name, "reserved_name", `must not be a custom header, because ${reason}`);
    else if (seen.has(lower))
      refuse(name, "repeated", "must not be repeated: the case of a name does not matter");
    seen.add(lower);
  }
  if (names.length > maximumHeaders)
    context.addIssue({ code: "custom", params: { code: "too_big" }, message: tooManyHeaders });
};

/** Also for a patch whose merged result would have too many headers. */
export const tooManyHeaders = `must have at most ${maximumHeaders} headers`;
export const tooLargeHeaders = `must have at most ${maximumHeaderBytes.toLocaleString("en")} characters in all names and values`;

const described = {
  description:
    "Headers that every request to the receiver carries, such as `Authorization`: at most 10. Their values are encrypted at rest and never returned.",
  examples: [{ "X-Team": "support" }],
  maxProperties: maximumHeaders,
};

export const headersInput = z
  .record(name, value)
  .superRefine(checkNames)
  .meta({ ...described, title: "Headers" });

/** Merged into what is stored, because values cannot be read. */
export const headersPatch = z
  .record(name, z.union([value.meta({ title: "Value" }), z.null().meta({ title: "Remove" })]))
  .superRefine(checkNames)
  .meta({
    ...described,
    description: `${described.description} Merged into the stored headers, name by name. A null removes a header.`,
    title: "Headers",
  });

export const headerNames = z.array(storedText(nameLength, "The name of a custom header.")).meta({
  description: "The names of the custom headers. Their values are never returned.",
  maxItems: maximumHeaders,
});

export type HeadersPatch = z.output<typeof headersPatch>;
