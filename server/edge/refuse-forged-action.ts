import type { IncomingMessage, ServerResponse } from "node:http";

type Refusal = { status: 400 | 403; reason: string };

/** The media types of a form, which a page of any other site can send without asking. */
const formTypes = /^(multipart\/form-data|application\/x-www-form-urlencoded|text\/plain)\b/i;
const actionId = /^[0-9a-f]{40,64}$/;

/**
 * Finds out why a request cannot be a server action that one of our own pages sent. Next checks the
 * origin too, but responds with 500 and logs lines that are not JSON.
 * @returns null for an action of our own, and for a request that is not an action
 */
function findRefusal({ method, headers }: IncomingMessage): Refusal | null {
  const id = headers["next-action"];
  const contentType = headers["content-type"] ?? "";
  if (method !== "POST" || (id === undefined && !formTypes.test(contentType))) return null;

  const [host] = String(headers["x-forwarded-host"] ?? headers.host ?? "").split(",");
  const { origin } = headers;
  if (origin !== undefined && hostOf(origin) !== host?.trim().toLowerCase())
    return { status: 403, reason: "A form can only be sent from a page of this site." };
  if (id !== undefined && !actionId.test(String(id)))
    return { status: 400, reason: "The Next-Action header is not the id of an action." };
  if (/^multipart\//i.test(contentType) && !/boundary=\S/i.test(contentType))
    return { status: 400, reason: "The Content-Type header lacks a boundary." };
  return null;
}

const hostOf = (origin: string): string | null =>
  URL.canParse(origin) ? new URL(origin).host : null;

/** Responds to a forged or malformed server action. @returns whether it did */
export function refuseForgedAction(request: IncomingMessage, response: ServerResponse): boolean {
  const refusal = findRefusal(request);
  if (!refusal) return false;
  response.writeHead(refusal.status, { "Content-Type": "text/plain", Connection: "close" });
  response.end(`${refusal.reason}\n`);
  return true;
}
