/** How many bytes of a body are stored. */
export const maximumBodyBytes = 16 * 1_024;

const masked = "[masked]";

// A text may be truncated anywhere, so every pattern also matches at the end of the text. All
// patterns are linear.
const signingSecret = /whsec_[\w+/=\\-]*/g;
/**
 * Keys of any service with this form, because a key that was sent by mistake should not be stored
 * either.
 */
const apiKey = /_(live|test)_(?:[0-9A-Za-z]{16,}|[0-9A-Za-z]*$)/g;
const secretName = String.raw`[\w-]{0,40}(?:secret|password|passphrase|token|authorization|api[_-]?key)`;
const string = String.raw`"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)`;
/** `headers` are the custom headers of a webhook. */
const secretMember = new RegExp(
  String.raw`"(${secretName}|headers)"\s*:\s*(?:${string}|\[(?:[^"\]]|${string})*\]?|\{(?:[^"}]|${string})*\}?|[^\s,}\]"]+)`,
  "gi",
);
/** The same inside a string, where every quote is escaped. */
const quotedSecretMember = new RegExp(
  String.raw`\\"(${secretName})\\"\s*:\s*(?:\\"[^"]*"?|[^\s,}\]"\\]+)`,
  "gi",
);
/** Also a filter, such as `metadata[token]`. */
const secretParameter = String.raw`[?&](?:metadata(?:\[|%5B))?${secretName}(?:\]|%5D)?`;
/** In a path or a header, a parameter ends only at the next one. */
const inLine = {
  parameter: new RegExp(`(${secretParameter})=[^&]*`, "gi"),
  password: /(\/\/[^\s/?#"\\@:]{0,256}):[^\s/?#"\\@]*@/g,
};
/** In a body, a URL ends at a quote or a space, and where the body was truncated. */
const inBody = {
  parameter: new RegExp(String.raw`(${secretParameter})=(?:\\[\s\S]|[^&"\\\s])*`, "gi"),
  password: /(\/\/[^\s/?#"\\@:]{0,256}):[^\s/?#"\\@]*(?:@|$)/g,
};
/** Most texts contain none of the characters that every pattern needs. One pass checks that. */
const mayHoldSecret =
  /\\|whsec_|_(?:live|test)_|secret|password|passphrase|token|authorization|api[_-]?key|"headers"|\/\/[^\s/"]*(?:@|$)/i;

/**
 * Masks secrets in a request path or a header: signing secrets, API keys, passwords in URLs, and
 * members or parameters whose names suggest a secret. Runs before anything is stored, so masked
 * values cannot be recovered.
 */
export const maskSecrets = (text: string): string => mask(text, inLine);

/** The same in a body. */
export const maskSecretsInBody = (body: string): string => mask(body, inBody);

function mask(text: string, { parameter, password }: typeof inLine): string {
  if (!mayHoldSecret.test(text)) return text;
  return (text.includes("\\") ? withoutNeedlessEscapes(text) : text)
    .replace(signingSecret, `whsec_${masked}`)
    .replace(apiKey, `_$1_${masked}`)
    .replace(secretMember, `"$1":"${masked}"`)
    .replace(quotedSecretMember, `\\"$1\\":\\"${masked}\\"`)
    .replace(password, `$1:${masked}@`)
    .replace(parameter, `$1=${masked}`);
}

/**
 * Decodes `\u0073ecret` and `whsec_a\/b`, so that no spelling hides a secret. Quotes and
 * backslashes stay escaped.
 */
function withoutNeedlessEscapes(text: string): string {
  return text.replace(
    /\\(?:u00([2-7][0-9a-f])|(.))/gi,
    (whole, code: string | undefined, character: string | undefined) => {
      if (code === undefined) return character === "/" ? "/" : whole;
      const decoded = String.fromCharCode(Number.parseInt(code, 16));
      return /["\\\x7f]/.test(decoded) ? whole : decoded;
    },
  );
}
