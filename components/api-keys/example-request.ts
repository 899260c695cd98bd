import type { Scope } from "@/lib/api-keys/scopes";

/** An example request that these scopes allow, read-only if possible. */
function firstPath(scopes: readonly Scope[]): string | null {
  if (scopes.includes("read:usage")) return "account";
  const read = scopes.find((scope) => scope.startsWith("read:"))?.slice("read:".length);
  return read === "knowledge" ? "knowledge-bases" : (read ?? null);
}

const firstBodies: [scope: Scope, path: string, body: string][] = [
  ["write:conversations", "conversations", '{"channelId":"support","message":"Hello"}'],
  ["write:customers", "customers", '{"name":"Ada"}'],
  ["write:agents", "agents", '{"name":"Ada"}'],
  ["write:knowledge", "knowledge-bases", '{"name":"Handbook"}'],
];

export function exampleRequest(apiUrl: string, key: string, scopes: readonly Scope[]): string {
  const path = firstPath(scopes);
  const authorization = `-H "Authorization: Bearer ${key}"`;
  if (path) return `curl ${apiUrl}/v1/public/${path} ${authorization}`;

  const write = firstBodies.find(([scope]) => scopes.includes(scope));
  const [, collection, body] = write ?? [
    "",
    "webhooks",
    '{"url":"https://example.com/hook","events":["*"]}',
  ];
  return `curl ${apiUrl}/v1/public/${collection} ${authorization} -H "Content-Type: application/json" -d '${body}'`;
}
