/** What is kept of a body, in bytes. */
export const maximumBodyBytes = 16 * 1_024;

const masked = "[masked]";

// A text may be cut off anywhere, so every pattern also takes what ends with it. Each is linear.
const signingSecret = /whsec_[\w+/=\\-]*/g;
/**
 * Any service's keys of this form, not only ours: whoever sends one by mistake does not want it
 * kept either.
 */
const apiKey = /_(live|test)_(?:[0-9A-Za-z]{16,}|[0-9A-Za-z]*$)/g;
const secretName = String.raw`[\w-]{0,40}(?:secret|password|passphrase|token|authorization|api[_-]?key)`;
const secretMember = new RegExp(
  String.raw`"(${secretName})"\s*:\s*(?:"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|\[[^\]]*\]?|\{[^}]*\}?|[^\s,}\]"]+)`,
  "gi",
);
/** The same inside of a text, where every quote is escaped. */
const quotedSecretMember = new RegExp(
  String.raw`\\"(${secretName})\\"\s*:\s*(?:\\"[^"]*"?|[^\s,}\]"\\]+)`,
  "gi",
);
const secretParameter = new RegExp(`([?&]${secretName})=[^&]*`, "gi");
/**
 * A body, or the path of a request, without secrets: signing secrets, API keys, and members or
 * parameters that are secrets by their name. Done before anything is written; what was masked
 * cannot be had again.
 */
export function maskSecrets(text: string): string {
  return (text.includes("\\") ? withoutNeedlessEscapes(text) : text)
    .replace(signingSecret, `whsec_${masked}`)
    .replace(apiKey, `_$1_${masked}`)
    .replace(secretMember, `"$1":"${masked}"`)
    .replace(quotedSecretMember, `\\"$1\\":\\"${masked}\\"`)
    .replace(secretParameter, `$1=${masked}`);
}

/**
 * `\u0073ecret` and `whsec_a\/b` as what they mean, so that no spelling hides a secret. Quotes and
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
