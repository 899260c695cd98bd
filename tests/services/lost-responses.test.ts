import { afterAll, beforeAll, expect, test } from "vitest";
import { findKey, type KnownKey } from "@/lib/api-keys/key-cache";
import { hashKey } from "@/lib/api-keys/key-format";
import { closeDatabase, db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { setCurrentTime } from "@/lib/platform/time";
import { flushRequestLogs, logRequest } from "@/lib/request-logs/request-log-buffer";
import { newId } from "@/lib/resources/ids";
import { purgeExpired } from "@/lib/retention/purge-expired";
import { countRequest, flushRequestCounts } from "@/lib/usage/count-requests";
import { newTenant } from "../support/api";
import { startEndingProxy } from "../support/ending-proxy";

// PostgreSQL commits a batch, but the connection is lost before its response arrives. The batch is
// then written again.

let proxy: Awaited<ReturnType<typeof startEndingProxy>>;
const databaseUrl = env().DATABASE_URL;

beforeAll(async () => {
  await closeDatabase();
  proxy = await startEndingProxy(databaseUrl);
  env().DATABASE_URL = proxy.url;
});
afterAll(async () => {
  await closeDatabase();
  env().DATABASE_URL = databaseUrl;
  proxy.close();
});

async function newKnownKey(): Promise<KnownKey> {
  const key = await findKey(hashKey((await newTenant()).key));
  if (!key) throw new Error("the key is not known");
  return key;
}

function logOne(key: KnownKey, status: number): string {
  const id = newId("request");
  logRequest({
    ...{ id, key, method: "POST", path: "/", status, durationMs: 1, startedAt: new Date() },
    ...{ idempotencyKey: null, address: null, userAgent: null, isReplay: false },
    ...{ requestBody: null, responseBody: null },
  });
  return id;
}

test("each request is counted as usage once, also those after the lost response", async () => {
  const key = await newKnownKey();
  await flushRequestCounts();
  const lostBefore = proxy.lostResponses();

  proxy.loseResponseOf("usage_add_requests");
  for (let index = 0; index < 3; index++) countRequest(key);
  await flushRequestCounts();
  for (let index = 0; index < 2; index++) countRequest(key);
  await flushRequestCounts();
  expect(proxy.lostResponses()).toBe(lostBefore + 1);

  const counted = async () => {
    const days = await db().usageDay.findMany({ where: { apiKeyId: key.id } });
    return days.reduce((sum, { apiRequests }) => sum + apiRequests, 0);
  };
  expect(await counted()).toBe(5);

  // A process that was idle for a week goes on counting.
  setCurrentTime(() => new Date(Date.now() + 8 * 24 * 3_600_000));
  await purgeExpired(1_000);
  setCurrentTime(null);
  expect(await db().usageWriter.count()).toBe(0);
  countRequest(key);
  await flushRequestCounts();
  expect(await counted()).toBe(6);
});

test("each request is logged and counted once, also those after the lost response", async () => {
  const key = await newKnownKey();
  await flushRequestLogs();
  const lostBefore = proxy.lostResponses();

  proxy.loseResponseOf("insert_request_logs");
  const ids = [logOne(key, 200), logOne(key, 404)];
  await flushRequestLogs();
  // They wait behind the batch that is written again.
  ids.push(logOne(key, 201), logOne(key, 500));
  await flushRequestLogs();
  expect(proxy.lostResponses()).toBe(lostBefore + 1);

  const where = { tenantId: key.tenantId, environment: key.environment };
  const rows = await db().requestLog.findMany({ where, orderBy: { id: "asc" } });
  expect(rows.map(({ id }) => id)).toEqual(ids.sort());
  const hours = await db().requestHour.findMany({ where });
  const sum = (of: "succeeded" | "refused" | "failed") =>
    hours.reduce((total, hour) => total + hour[of], 0);
  expect([sum("succeeded"), sum("refused"), sum("failed")]).toEqual([2, 1, 1]);
});
