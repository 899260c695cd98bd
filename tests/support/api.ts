import { scopes as everyScope, type Scope } from "@/lib/api-keys/scopes";
import { createApiKey } from "@/lib/api-keys/service";
import { type Identity, mutate } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { idPrefixes } from "@/lib/resources/ids";
import { createTenant } from "@/lib/tenants/service";
import type { Environment } from "@/prisma/generated/enums";
import { type ApiServer, startApiServer } from "./api-server";
import { ignoreEarlierEvents, requireDescribedEvents } from "./described-events";
import { requireDescribed } from "./described-responses";
import { afterEachFile, beforeEachFile } from "./per-file";

let server: ApiServer | undefined;
/** Whether the running file is one of those that use this module. */
let isUsed = false;

beforeEachFile.push(async () => {
  if (process.env.TEST_PROCESS === "shared") await ignoreEarlierEvents();
  server = await startApiServer();
});

afterEachFile.push(async () => {
  await server?.close();
  const hasRaised = isUsed;
  isUsed = false;
  if (hasRaised) await requireDescribedEvents();
});

export function baseUrl(): string {
  if (!server) throw new Error("the API server has not started");
  isUsed = true;
  return server.url;
}

/** A tenant's environment with a key, which a test uses for its requests. */
export type TestTenant = {
  tenantId: string;
  slug: string;
  environment: Environment;
  key: string;
  keyId: string;
  identity: Identity;
};

type KeyOptions = {
  environment?: Environment;
  scopes?: readonly Scope[];
  rateLimitPerMinute?: number | null;
  allowedIps?: string[];
  expiresAt?: Date;
};

/** A new tenant for each test, so that nothing needs to be cleaned up. */
export async function newTenant(options: KeyOptions = {}): Promise<TestTenant> {
  const tenant = await createTenant(db(), {
    name: `Tenant ${Math.random().toString(36).slice(2)}`,
  });
  return newKey(tenant, options);
}

/** Another key of the same tenant, in either environment. */
export async function newKey(
  tenant: { id: string; slug: string } | TestTenant,
  options: KeyOptions = {},
): Promise<TestTenant> {
  const {
    environment = "test",
    scopes = everyScope,
    rateLimitPerMinute = 100_000,
    allowedIps,
    expiresAt,
  } = options;
  isUsed = true;
  const tenantId = "id" in tenant ? tenant.id : tenant.tenantId;
  const identity: Identity = {
    partition: { tenantId, environment },
    actor: { type: "OPERATOR", id: "tests" },
    request: null,
    address: null,
  };
  const input = {
    name: "key",
    scopes: [...scopes],
    rateLimitPerMinute,
    ...(allowedIps && { allowedIps }),
    ...(expiresAt && { expiresAt }),
  };
  const { apiKey, key } = await mutate(identity, (caller) => createApiKey(caller, input));
  return { tenantId, slug: tenant.slug, environment, key, keyId: apiKey.id, identity };
}

// biome-ignore lint/suspicious/noExplicitAny: a response is whatever the server sends; the tests say what it must be.
export type Reply = { status: number; headers: Headers; text: string; body: any };

/** Sends one request to the API. `path` is the part after `/v1/public`. */
export async function call(
  { key }: Pick<TestTenant, "key">,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const hasBody = body !== undefined;
  return send(`/v1/public${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(hasBody && { "content-type": "application/json" }),
      ...headers,
    },
    ...(hasBody && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

/** Checks every response against the OpenAPI document, whatever the test looks for. */
export async function send(path: string, init: RequestInit): Promise<Reply> {
  const response = await fetch(`${baseUrl()}${path}`, init);
  const text = await response.text();
  const { status, headers } = response;
  const isJson = headers.get("content-type")?.includes("json");
  const body = isJson && text ? JSON.parse(text) : undefined;
  const [pathname = ""] = path.split("?");
  requireDescribed({
    method: init.method ?? "GET",
    path: pathname,
    requestBody: init.body,
    status,
    headers,
    body,
  });
  return { status, headers, text, body };
}

/**
 * Sends a request again while its reply asks for that, as a client does: on a busy machine, the
 * first of many requests with one key can take longer than the others wait for it.
 */
export async function retried(request: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await request();
    if (reply.headers.get("retry-after") === null) return reply;
  }
}

const anyId = new RegExp(`(${Object.values(idPrefixes).join("|")})_[0-9A-HJKMNP-TV-Z]{26}`, "g");

/** The key with another last character, whatever that was. */
export function mistyped(key: string): string {
  return key.slice(0, -1) + (key.endsWith("x") ? "y" : "x");
}

/** A response without what differs from request to request, to compare two that must be equal. */
export function withoutIds(problem: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify({ ...problem, requestId: undefined, instance: undefined });
  return JSON.parse(text.replaceAll(anyId, "$1_…"));
}
