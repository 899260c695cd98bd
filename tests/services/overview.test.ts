import { expect, test } from "vitest";
import { createApiKey, revokeApiKey } from "@/lib/api-keys/service";
import { getOnboardingProgress } from "@/lib/overview/service";
import { type Identity, mutate, reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { newId } from "@/lib/resources/ids";
import { createTenant } from "@/lib/tenants/service";
import { createWebhook, deleteWebhook } from "@/lib/webhooks/service";

async function newOrganization(): Promise<Record<"live" | "test", Identity>> {
  const { id: tenantId } = await createTenant(db(), { name: "Beginners" });
  const identity = (environment: "live" | "test"): Identity => ({
    partition: { tenantId, environment },
    actor: { type: "OPERATOR", id: "tests" },
    request: null,
    address: null,
  });
  return { live: identity("live"), test: identity("test") };
}

const nothing = {
  hasTestKey: false,
  latestRequest: null,
  hasSucceeded: false,
  webhook: null,
  hasLiveKey: false,
  hasSucceededLive: false,
};

test("a key counts while it is not revoked, and for good once a request with it succeeded, in its own environment only", async () => {
  const organization = await newOrganization();
  const progress = () => getOnboardingProgress(reader(organization.live));
  const create = async (identity: Identity) =>
    (await mutate(identity, (caller) => createApiKey(caller, { name: "A", scopes: [] }))).apiKey.id;
  const revoke = (identity: Identity, id: string) =>
    mutate(identity, (caller) => revokeApiKey(caller, id));
  const succeed = (id: string) =>
    db().apiKey.updateMany({ where: { id }, data: { firstSucceededAt: new Date() } });
  expect(await progress()).toEqual(nothing);

  const inTest = await create(organization.test);
  expect(await progress()).toEqual({ ...nothing, hasTestKey: true });
  await revoke(organization.test, inTest);
  expect(await progress()).toEqual(nothing);
  await succeed(inTest);
  expect(await progress()).toEqual({ ...nothing, hasTestKey: true, hasSucceeded: true });

  const inLive = await create(organization.live);
  await succeed(inLive);
  await revoke(organization.live, inLive);
  expect(await progress()).toEqual({
    ...{ ...nothing, hasTestKey: true, hasSucceeded: true },
    ...{ hasLiveKey: true, hasSucceededLive: true },
  });
  const other = await newOrganization();
  expect(await getOnboardingProgress(reader(other.test))).toEqual(nothing);
});

test("the webhook is the newest in test that received an event, or else the newest, but none that is deleted", async () => {
  const organization = await newOrganization();
  const shown = async () => (await getOnboardingProgress(reader(organization.test))).webhook;
  const create = (identity: Identity, path: string) =>
    mutate(identity, (caller) =>
      createWebhook(caller, {
        url: `https://example.com/${path}`,
        events: ["*"],
        description: null,
        metadata: {},
      }),
    );
  const receive = (id: string) =>
    db().webhook.updateMany({ where: { id }, data: { lastSuccessAt: new Date() } });
  await create(organization.live, "live");
  expect(await shown()).toBeNull();

  const first = await create(organization.test, "first");
  const second = await create(organization.test, "second");
  expect(await shown()).toEqual({ id: second.id, url: second.url, hasReceived: false });
  await receive(first.id);
  expect(await shown()).toEqual({ id: first.id, url: first.url, hasReceived: true });
  await mutate(organization.test, (caller) => deleteWebhook(caller, first.id));
  expect(await shown()).toEqual({ id: second.id, url: second.url, hasReceived: false });
});

test("the latest request is that of test, as the log has it", async () => {
  const organization = await newOrganization();
  const log = async (identity: Identity, at: Date, errorKind: string | null) => {
    const id = newId("request", at);
    const request = {
      ...{ id, method: "POST", path: "/v1/public/customers", status: 422, durationMs: 3 },
      ...{ errorKind, responseBody: '{"type":"invalid"}', createdAt: at },
    };
    await db().requestLog.create({
      data: { ...identity.partition, ...request, apiKeyId: newId("apiKey") },
    });
    return request;
  };
  const minute = 60_000;
  await log(organization.test, new Date(Date.now() - 2 * minute), "invalid");
  const latest = await log(organization.test, new Date(Date.now() - minute), null);
  await log(organization.live, new Date(), "invalid");
  expect(await getOnboardingProgress(reader(organization.live))).toEqual({
    ...nothing,
    latestRequest: latest,
  });
});
