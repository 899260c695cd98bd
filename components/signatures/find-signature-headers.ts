/** The signature headers of a delivery that the pasted text contains. */
export type SignatureHeaders = {
  signature: string | null;
  id: string | null;
  timestamp: string | null;
  standardSignature: string | null;
};

const line =
  /^\s*(?:(?:-H|--header)\s+)?['"]?([A-Za-z0-9-]+)['"]?\s*:\s*['"]?(.*?)['"]?\s*(?:\\|,)?\s*$/;

/**
 * Finds them in the pasted text: the value of `X-Service-Signature` alone, all headers as a log
 * or a browser shows them, a curl command, or a JSON object.
 */
export function findSignatureHeaders(text: string): SignatureHeaders {
  const found = new Map<string, string>();
  for (const [, name = "", value = ""] of text.split("\n").map((each) => line.exec(each) ?? []))
    found.set(name.toLowerCase(), value);
  const [signature = null, id = null, timestamp = null, standardSignature = null] = [
    found.get("x-service-signature"),
    found.get("webhook-id"),
    found.get("webhook-timestamp"),
    found.get("webhook-signature"),
  ];
  const isBare = signature === null && standardSignature === null && /(^|[\s,])(t|v1)=/.test(text);
  return { signature: isBare ? text.trim() : signature, id, timestamp, standardSignature };
}
