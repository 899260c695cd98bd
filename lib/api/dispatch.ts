import { type Outgoing, respond, splitUrl, type Target, type Wire } from "./pipeline";
import type { ApiRequest } from "./read-request";
import { type Method, routes } from "./routes";

type Node = {
  literal: Map<string, Node>;
  parameter?: { name: string; node: Node };
  methods?: Partial<Record<Method, { declaration: object }>>;
};

const root: Node = { literal: new Map() };

for (const [path, methods] of Object.entries(routes)) {
  let node = root;
  for (const segment of path.slice(1).split("/")) node = childFor(node, segment);
  node.methods = methods;
}

function childFor(node: Node, segment: string): Node {
  if (segment.startsWith("{")) {
    node.parameter ??= { name: segment.slice(1, -1), node: { literal: new Map() } };
    return node.parameter.node;
  }
  const child = node.literal.get(segment) ?? { literal: new Map() };
  node.literal.set(segment, child);
  return child;
}

/** Finds the operation for a path and method. HEAD works wherever GET does. */
function find(path: string, method: string): Target {
  const params: Record<string, string> = {};
  let node: Node | undefined = root;
  for (const segment of path.slice(1).split("/")) {
    const literal: Node | undefined = node.literal.get(segment);
    if (!literal && node.parameter) {
      const value = decode(segment);
      if (value === undefined) return "nothing";
      params[node.parameter.name] = value;
    }
    node = literal ?? node.parameter?.node;
    if (!node) return "nothing";
  }
  const methods = node.methods as (typeof routes)["/v1/public/"] | undefined;
  if (!methods) return "nothing";
  const operation = methods[(method === "HEAD" ? "GET" : method) as Method];
  return operation ? { declaration: operation.declaration, params } : { allow: allowed(methods) };
}

function allowed(methods: Partial<Record<Method, unknown>>): string[] {
  const names = Object.keys(methods).sort();
  return names.includes("GET") ? ["GET", "HEAD", ...names.filter((name) => name !== "GET")] : names;
}

/** @returns undefined for a segment that is not percent-encoded UTF-8 */
function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Whether an operation accepts a file, which it writes to the disk as it arrives. */
export function acceptsUpload(method: string, path: string): boolean {
  const target = find(path, method);
  return (
    typeof target === "object" && "declaration" in target && Boolean(target.declaration.upload)
  );
}

/**
 * Handles any request below /v1, from server/web-server.ts and from Next's own server.
 * @param wire what the server knows about the request that a `Request` cannot express
 */
export function dispatch(request: ApiRequest, wire: Wire): Promise<Outgoing> {
  return respond(request, find(splitUrl(request.url).path, request.method), wire);
}
