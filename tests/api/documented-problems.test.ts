import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { archiveAgent } from "@/lib/agents/service";
import { problemExample, problemExplanations } from "@/lib/api/problem-explanations";
import { mutate } from "@/lib/platform/caller";
import { type ErrorKind, errorKinds } from "@/lib/platform/errors";
import { newId } from "@/lib/resources/ids";
import { call, newKey, newTenant, type Reply, send, type TestTenant } from "../support/api";

/** A sentence without the ids, names, times and numbers that differ from request to request. */
const sentence = (detail: unknown) =>
  String(detail)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/"[^"]*"/g, '"…"')
    .replaceAll(/\d+/g, "#");

const created = async (tenant: TestTenant, path: string, body: object) =>
  (await call(tenant, "POST", path, body)).body.id as string;
const conversation = (tenant: TestTenant) =>
  created(tenant, "/conversations", { channelId: "web" });

/** How to cause each problem. */
const provoke: Partial<Record<ErrorKind, (tenant: TestTenant) => Promise<Reply>>> = {
  "malformed-request": (tenant) =>
    call(tenant, "POST", "/conversations", '{"channelId": "web", oops}'),
  "invalid-idempotency-key": (tenant) =>
    call(tenant, "POST", "/conversations", { channelId: "web" }, { "idempotency-key": "" }),
  unauthorized: () => send("/v1/public/conversations", {}),
  "insufficient-scope": async (tenant) =>
    call(await newKey(tenant, { scopes: ["read:conversations"] }), "POST", "/conversations", {
      channelId: "web",
    }),
  "ip-not-allowed": async (tenant) =>
    call(await newKey(tenant, { allowedIps: ["203.0.113.1"] }), "GET", "/conversations"),
  "not-found": (tenant) => call(tenant, "GET", `/conversations/${newId("conversation")}`),
  "method-not-allowed": (tenant) => call(tenant, "DELETE", "/conversations"),
  conflict: async (tenant) => {
    await created(tenant, "/customers", { externalId: "user_1" });
    return call(tenant, "POST", "/customers", { externalId: "user_1" });
  },
  "invalid-transition": async (tenant) => {
    const id = await conversation(tenant);
    await call(tenant, "PATCH", `/conversations/${id}`, { status: "RESOLVED" });
    return call(tenant, "PATCH", `/conversations/${id}`, { status: "PENDING" });
  },
  "conversation-closed": async (tenant) => {
    const id = await conversation(tenant);
    await call(tenant, "PATCH", `/conversations/${id}`, { status: "CLOSED" });
    return call(tenant, "POST", `/conversations/${id}/messages`, { text: "Hi" });
  },
  "agent-archived": async (tenant) => {
    const id = await created(tenant, "/agents", { name: "Agent" });
    await mutate(tenant.identity, (caller) => archiveAgent(caller, id));
    return call(tenant, "PATCH", `/agents/${id}`, { name: "Other" });
  },
  "rotation-in-progress": async (tenant) => {
    const id = await created(tenant, "/webhooks", { url: "https://example.com/", events: ["*"] });
    await call(tenant, "POST", `/webhooks/${id}/rotate-secret`);
    return call(tenant, "POST", `/webhooks/${id}/rotate-secret`);
  },
  "limit-reached": async (tenant) => {
    const body = { url: "https://example.com/", events: ["*"] };
    for (let count = 0; count < 20; count++) await call(tenant, "POST", "/webhooks", body);
    return call(tenant, "POST", "/webhooks", body);
  },
  "in-use": async (tenant) => {
    const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
    const body = { channelId: "web", customerId: customer.id };
    for (let count = 0; count < 3; count++) await call(tenant, "POST", "/conversations", body);
    return call(tenant, "DELETE", `/customers/${customer.id}`);
  },
  gone: async (tenant) => {
    const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
    await call(tenant, "POST", `/customers/${customer.id}/erase`);
    return call(tenant, "PATCH", `/customers/${customer.id}`, { name: "Ada" });
  },
  "precondition-failed": async (tenant) =>
    call(
      tenant,
      "PATCH",
      `/conversations/${await conversation(tenant)}`,
      {},
      { "if-match": '"other"' },
    ),
  "payload-too-large": (tenant) =>
    call(tenant, "POST", "/conversations", { channelId: "x".repeat(300_000) }),
  "unsupported-media-type": (tenant) =>
    call(tenant, "POST", "/conversations", "a=1", {
      "content-type": "application/x-www-form-urlencoded",
    }),
  validation: (tenant) => call(tenant, "POST", "/conversations", {}),
  "invalid-cursor": (tenant) =>
    call(tenant, "GET", `/conversations?cursor=${newId("conversation")}`),
  "idempotency-key-reused": async (tenant) => {
    await call(tenant, "POST", "/conversations", { channelId: "web" }, { "idempotency-key": "k" });
    return call(
      tenant,
      "POST",
      "/conversations",
      { channelId: "mail" },
      { "idempotency-key": "k" },
    );
  },
  "rate-limited": async (tenant) => {
    const slow = await newKey(tenant, { rateLimitPerMinute: 1 });
    await call(slow, "GET", "/conversations");
    return call(slow, "GET", "/conversations");
  },
};

test.each(Object.keys(provoke) as ErrorKind[])(
  "%s is documented with the sentence and the members that are sent",
  async (kind) => {
    const reply = await provoke[kind]?.(await newTenant());
    const example = problemExample(kind, "http://localhost:3000/docs");
    expect(reply?.status).toBe(errorKinds[kind].status);
    expect(reply?.body.type).toMatch(new RegExp(`/errors/${kind}$`));
    expect(sentence(reply?.body.detail)).toBe(sentence(example.detail));
    expect(Object.keys(reply?.body).sort()).toEqual(Object.keys(example).sort());
  },
);

test("every documented example is an error of its kind, built by the functions that build the errors", () => {
  for (const [kind, { example }] of Object.entries(problemExplanations))
    expect(example.error.kind).toBe(kind);
  expect(readFileSync("lib/api/problem-explanations.ts", "utf8")).not.toContain("new AppError(");
});

test("no text tells a user to unarchive an agent, because archiving is permanent", () => {
  const { what, why, howToFix, example } = problemExplanations["agent-archived"];
  expect([what, ...why, ...howToFix, example.error.detail].join(" ")).not.toMatch(
    /out of the archive/i,
  );
});
