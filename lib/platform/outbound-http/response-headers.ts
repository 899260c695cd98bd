/** What is stored of a response's headers: so many, and so many characters of names and values. */
export const maximumHeaders = 20;
const maximumCharacters = 2_000;
const maximumValue = 500;

const credential =
  /cookie|^authorization$|authenticate|authorization|token|secret|signature|api-?key|password|session|csrf/i;

/** A redirect to a sign-in, or to a stored file, often has a credential in its query. */
const ofUrls = /^(location|content-location|refresh|link)$/i;

const withoutQueries = (value: string) =>
  value.replace(/[?#][^\s,;>"]*/g, "?[redacted]").replace(/:\/\/[^\s/@]*@/g, "://[redacted]@");

/**
 * The first headers of a response, for the person who finds out why it failed. Values that may be
 * credentials are masked, and long ones are cut off.
 */
export function storableHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  const kept: [string, string][] = [];
  let room = maximumCharacters;
  for (const [name, value] of Object.entries(headers)) {
    if (kept.length === maximumHeaders) break;
    if (value === undefined || name === "__proto__") continue;
    const whole = storedValue(name, [value].flat().join(", "));
    const text = whole.length > maximumValue ? `${whole.slice(0, maximumValue)}…` : whole;
    if (name.length + text.length > room) continue;
    room -= name.length + text.length;
    kept.push([name.toLowerCase(), storable(text)]);
  }
  return Object.fromEntries(kept);
}

function storedValue(name: string, value: string): string {
  if (credential.test(name)) return "[redacted]";
  return ofUrls.test(name) ? withoutQueries(value) : value;
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
const storable = (text: string) => text.replaceAll("\0", "").toWellFormed();
