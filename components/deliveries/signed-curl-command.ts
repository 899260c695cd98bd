import { hiddenValue } from "@/lib/deliveries/engine/delivery-headers";

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The headers that depend on the time of signing. */
const signedHeaders: Record<string, string> = {
  "x-service-signature": "t=$t,v1=$signature",
  "webhook-timestamp": "$t",
  "webhook-signature": "v1,$standard",
};

/** The shell variable for the value of a custom header, which is not known. */
export const variableOf = (headerName: string): string =>
  headerName
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "_")
    .replace(/^(?=[0-9])/, "_");

/**
 * A delivery as shell commands. They sign it again, with the secret in PARLANCE_WEBHOOK_SECRET, so
 * that receivers accept it: signatures are not stored, and an old one would be rejected.
 */
export function signedCurlCommand(
  url: string,
  headers: Record<string, string>,
  body: string,
): string {
  const lines = Object.entries(headers).map(([name, value]) => {
    const signed = signedHeaders[name];
    if (value === hiddenValue) return `-H ${quote(`${name}: `)}"$${variableOf(name)}"`;
    return `-H ${signed ? `"${name}: ${signed}"` : quote(`${name}: ${value}`)}`;
  });
  return [
    `body=${quote(body)}`,
    "t=$(date +%s)",
    `signature=$(printf '%s.%s' "$t" "$body" | openssl dgst -sha256 -hmac "$PARLANCE_WEBHOOK_SECRET" -hex | sed 's/^.* //')`,
    // Standard Webhooks uses the bytes that the secret encodes as the key.
    `key=$(printf '%s' "\${PARLANCE_WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')`,
    `standard=$(printf '%s.%s.%s' ${quote(headers["webhook-id"] ?? "")} "$t" "$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)`,
    [`curl -X POST ${quote(url)}`, ...lines, `--data-raw "$body"`].join(" \\\n  "),
  ].join("\n");
}
