import { expect, test } from "vitest";
import { firstRequest } from "@/components/api-keys/first-request";
import { scopePresets, scopeResources } from "@/lib/api-keys/scope-choices";
import { type Scope, scopes } from "@/lib/api-keys/scopes";
import { apiKeyStatus } from "@/lib/api-keys/status";

const now = new Date("2026-01-10T12:00:00.000Z");

test.each([
  ["active", null, null],
  ["active", "2026-01-17T12:00:00.001Z", null],
  ["expires-soon", "2026-01-17T12:00:00.000Z", null],
  ["expired", "2026-01-10T12:00:00.000Z", null],
  ["revoked", null, "2026-01-09T00:00:00.000Z"],
  ["revoked", "2026-01-10T00:00:00.000Z", "2026-01-09T00:00:00.000Z"],
])("%s: expires %s, revoked %s", (status, expiresAt, revokedAt) => {
  const at = (time: string | null) => time && new Date(time);
  expect(apiKeyStatus({ expiresAt: at(expiresAt) || null, revokedAt: at(revokedAt) || null }, now)).toBe(status);
});

test("the grid can express every scope and no other", () => {
  const expressible = scopeResources.flatMap(({ name, isWritable }) => [`read:${name}`, ...(isWritable ? [`write:${name}`] : [])]);
  expect(expressible.sort()).toEqual([...scopes].sort());
});

test("full access is every scope, read only is every read and nothing else", () => {
  const preset = (name: string) => scopePresets.find((candidate) => candidate.name === name)?.scopes;
  expect(preset("Full access")).toEqual(scopes);
  expect(preset("Read only")).toEqual(scopes.filter((scope) => !scope.startsWith("write:")));
});

test.each<[Scope[], string]>([
  [["read:usage", "read:agents"], "/v1/public/account "],
  [["write:agents", "read:knowledge"], "/v1/public/knowledge-bases "],
  [["write:conversations"], '/v1/public/conversations -H "Authorization: Bearer k" -H "Content-Type: application/json" -d'],
  [["write:webhooks"], "/v1/public/webhooks "],
])("a key for %o is tried with what it may do", (granted, part) => {
  expect(firstRequest("http://localhost:3000", "k", granted)).toContain(part);
});
