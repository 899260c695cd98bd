import { expect, test } from "vitest";
import { exampleRequest } from "@/components/api-keys/example-request";
import { scopePresets, scopeResources } from "@/lib/api-keys/scope-choices";
import { type Scope, scopes } from "@/lib/api-keys/scopes";
import { apiKeyStatus } from "@/lib/api-keys/status";

const now = new Date("2026-01-10T12:00:00.000Z");

test.each([
  ["active", {}],
  ["active", { expiresAt: "2026-01-17T12:00:00.001Z" }],
  ["active", { lastUsedAt: "2025-12-11T12:00:00.001Z" }],
  ["active", { createdAt: "2025-12-11T12:00:00.001Z" }],
  ["expiring", { expiresAt: "2026-01-17T12:00:00.000Z" }],
  ["rolling", { expiresAt: "2026-01-10T12:00:00.001Z", replacedById: "key_" }],
  ["unused", { lastUsedAt: "2025-12-11T12:00:00.000Z" }],
  ["unused", { createdAt: "2025-12-11T12:00:00.000Z" }],
  ["expired", { expiresAt: "2026-01-10T12:00:00.000Z" }],
  ["expired", { expiresAt: "2026-01-10T12:00:00.000Z", replacedById: "key_" }],
  ["suspended", { suspendedAt: "2026-01-09T00:00:00.000Z", expiresAt: "2026-01-12T00:00:00.000Z" }],
  ["expired", { suspendedAt: "2026-01-09T00:00:00.000Z", expiresAt: "2026-01-10T12:00:00.000Z" }],
  ["revoked", { revokedAt: "2026-01-09T00:00:00.000Z" }],
  ["revoked", { revokedAt: "2026-01-10T00:00:00.000Z", expiresAt: "2026-01-09T00:00:00.000Z" }],
] as const)("%s: %o", (status, facts) => {
  const {
    replacedById = null,
    createdAt = "2026-01-01T00:00:00.000Z",
    ...times
  } = facts as Record<string, string>;
  const at = (name: string) => (times[name] ? new Date(times[name]) : null);
  const key = {
    replacedById,
    createdAt: new Date(createdAt),
    revokedAt: at("revokedAt"),
    suspendedAt: at("suspendedAt"),
    expiresAt: at("expiresAt"),
    lastUsedAt: at("lastUsedAt"),
  };
  expect(apiKeyStatus(key, now)).toBe(status);
});

test("the grid can express every scope and no other", () => {
  const expressible = scopeResources.flatMap(({ name, isWritable }) => [
    `read:${name}`,
    ...(isWritable ? [`write:${name}`] : []),
  ]);
  expect(expressible.sort()).toEqual([...scopes].sort());
});

test("full access is every scope, read only is every read and nothing else", () => {
  const preset = (name: string) =>
    scopePresets.find((candidate) => candidate.name === name)?.scopes;
  expect(preset("Full access")).toEqual(scopes);
  expect(preset("Read only")).toEqual(scopes.filter((scope) => !scope.startsWith("write:")));
});

test.each<[Scope[], string]>([
  [["read:usage", "read:agents"], "/v1/public/account "],
  [["write:agents", "read:knowledge"], "/v1/public/knowledge-bases "],
  [
    ["write:conversations"],
    '/v1/public/conversations -H "Authorization: Bearer k" -H "Content-Type: application/json" -d',
  ],
  [["write:webhooks"], "/v1/public/webhooks "],
])("a key for %o is tried with what it may do", (granted, part) => {
  expect(exampleRequest("http://localhost:3000", "k", granted)).toContain(part);
});
