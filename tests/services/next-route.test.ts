import { expect, test } from "vitest";
import * as route from "@/app/api/v1/[[...path]]/route";
import { newTenant } from "../support/api";

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
