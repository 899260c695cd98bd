import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { db } from "@/lib/platform/db";
import { newTenant, type TestTenant } from "../support/api";
import { type RunningProcess, startWeb, startWorker } from "../support/processes";
import { type Receiver, startReceiver } from "../support/receiver";
import { startTraceCollector, type TraceCollector } from "../support/trace-collector";

// The built product with a collector that receives OTLP.

const clientTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const clientSpan = "00f067aa0ba902b7";
const text = "The text of a message belongs to no trace.";

let tenant: TestTenant;
let receiver: Receiver;
let collector: TraceCollector;
let traced: RunningProcess & { url: string };
let untraced: RunningProcess & { url: string };
let worker: RunningProcess;
let conversationId: string;

const call = (web: { url: string }, path: string, body: object, traceparent?: string) =>
  fetch(`${web.url}/v1/public${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${tenant.key}`,
      "Content-Type": "application/json",
      ...(traceparent !== undefined && { traceparent }),
    },
    body: JSON.stringify(body),
  });

const postMessage = (web: { url: string }, traceparent?: string) =>
  call(
    web,
    `/conversations/${conversationId}/messages`,
    { direction: "INBOUND", author: { type: "CUSTOMER" }, text },
    traceparent,
  );

/** The spans of a request and of what it caused, once its delivery attempt has arrived. */
async function spansOf(response: Response) {
  const requestId = response.headers.get("x-request-id");
  const request = await vi.waitFor(
    () => {
      const found = collector.spans.find(
        ({ attributes }) => attributes["parlance.request_id"] === requestId,
      );
      if (!found) throw new Error("the request's span has not arrived");
      return found;
    },
    { timeout: 120_000 },
  );
  const attempt = await vi.waitFor(
    () => {
      const found = collector.spans.find(
        ({ name, parentSpanId }) => name.startsWith("deliver ") && parentSpanId === request.spanId,
      );
      if (!found) throw new Error("the attempt's span has not arrived");
      return found;
    },
    { timeout: 120_000 },
  );
  const children = collector.spans.filter(({ parentSpanId }) => parentSpanId === request.spanId);
  return { request, attempt, children };
}

beforeAll(async () => {
  tenant = await newTenant();
  receiver = await startReceiver((response) => response.writeHead(200).end());
  collector = await startTraceCollector();
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "50" };
  traced = await startWeb(tracing);
  untraced = await startWeb();
  worker = await startWorker({ ...tracing, WEBHOOK_TRACEPARENT: "true" });
  await call(untraced, "/webhooks", { url: receiver.url, events: ["message.received"] });
  const created = await call(untraced, "/conversations", { channelId: "web" });
  conversationId = (await created.json()).id;
});
afterAll(async () => {
  await Promise.all([traced?.end(), untraced?.end(), worker?.end()]);
  await receiver?.close();
  await collector?.close();
});

test("one trace leads from the client's request over its statement to the delivery attempt", async () => {
  const response = await postMessage(traced, `00-${clientTrace}-${clientSpan}-01`);
  expect(response.status).toBe(201);
  const { request, attempt, children } = await spansOf(response);

  expect(request).toMatchObject({
    process: "web",
    name: "postMessage",
    traceId: clientTrace,
    parentSpanId: clientSpan,
    attributes: { "http.response.status_code": 201, "parlance.environment": "test" },
  });
  expect(children.find(({ name }) => name === "post_message")).toMatchObject({
    process: "web",
    traceId: clientTrace,
  });
  expect(attempt).toMatchObject({
    process: "worker",
    name: "deliver message.received",
    traceId: clientTrace,
    attributes: { "parlance.attempt": 1, "http.response.status_code": 200 },
    failure: undefined,
  });
  expect(receiver.requests[0]?.headers.traceparent).toBe(`00-${clientTrace}-${attempt.spanId}-01`);
});

test("a client's sampling flag is ignored, and an invalid traceparent starts a new trace", async () => {
  const unsampled = await spansOf(await postMessage(traced, `00-${clientTrace}-${clientSpan}-00`));
  expect(unsampled.request.traceId).toBe(clientTrace);

  for (const refused of [
    `00-${"0".repeat(32)}-${clientSpan}-01`,
    `ff-${clientTrace}-${clientSpan}-01`,
    `00-${clientTrace}-${clientSpan}-01-${"x".repeat(4_000)}`,
    `00-${clientTrace}-${clientSpan}-01, 00-${clientTrace}-${clientSpan}-01`,
    "' OR 1=1",
    "",
  ]) {
    const response = await postMessage(traced, refused);
    expect(response.status).toBe(201);
    const { request, attempt } = await spansOf(response);
    expect(request.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    expect(request.traceId).not.toBe(clientTrace);
    expect(request.parentSpanId).toBe("");
    expect(attempt.traceId).toBe(request.traceId);
  }
});

test("a request that is not traced stores no trace, and its delivery starts one of its own", async () => {
  const ids = async () =>
    new Set(
      (await db().delivery.findMany({ where: tenant.identity.partition })).map(({ id }) => id),
    );
  const before = await ids();
  await postMessage(untraced, `00-${clientTrace}-${clientSpan}-01`);
  const [id = ""] = [...(await ids())].filter((each) => !before.has(each));
  const span = await vi.waitFor(
    () => {
      const found = collector.spans.find(
        ({ attributes }) => attributes["parlance.delivery_id"] === id,
      );
      if (!found) throw new Error("the attempt's span has not arrived");
      return found;
    },
    { timeout: 120_000 },
  );

  expect(span).toMatchObject({ parentSpanId: "" });
  expect(span.traceId).not.toBe(clientTrace);
  expect(
    await db().delivery.findFirst({ where: { ...tenant.identity.partition, id } }),
  ).toMatchObject({
    traceparent: null,
  });
});

test("no text, key or secret is part of a trace", () => {
  const bytes = collector.bytes();
  expect(bytes.includes("deliver message.received")).toBe(true);
  for (const secret of [text, tenant.key, tenant.key.slice(-20), receiver.url])
    expect(bytes.includes(secret)).toBe(false);
});
