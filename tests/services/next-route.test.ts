import { expect, test } from "vitest";
import * as route from "@/app/api/v1/[[...path]]/route";
import { call, newTenant } from "../support/api";

// Where Next runs without our server (its development server, a serverless host), this route
// serves the API.

test.each(["/v1/public/account", "/api/v1/public/account"])(
  "the catch-all route of the API serves %s like our own server",
  async (path) => {
    const { key, tenantId } = await newTenant();
    const request = new Request(`http://localhost${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const response = await route.GET(request);
    expect(response.status).toBe(200);
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
    expect(await response.json()).toMatchObject({ id: tenantId });

    const body = new Blob(["x".repeat(300_000)]).stream();
    const init = {
      method: "POST",
      headers: { ...Object.fromEntries(request.headers), "content-type": "application/json" },
      body,
      duplex: "half",
    };
    const refused = await route.POST(
      new Request("http://localhost/v1/public/customers", init as RequestInit),
    );
    expect(refused.status).toBe(413);
  },
);

test("the catch-all route streams events, and a client that cancels frees its stream", async () => {
  const tenant = await newTenant();
  const headers = { authorization: `Bearer ${tenant.key}` };
  const open = () =>
    route.GET(new Request("http://localhost/v1/public/events/stream?cursor=start", { headers }));
  const response = await open();
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reader = response.body?.getReader();
  const read = async () => new TextDecoder().decode((await reader?.read())?.value);
  expect(await read()).toBe("retry: 1000\nid: start\n\n");
  await call(tenant, "POST", "/customers", { name: "Ada" });
  expect(await read()).toMatch(/^id: (evt_\w+)\ndata: {"id":"\1","type":"customer.created".*\n\n$/);

  await reader?.cancel();
  const streams = await Promise.all(Array.from({ length: 10 }, open));
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await open()).status).toBe(409);
  for (const { body } of streams) await body?.cancel();
});
