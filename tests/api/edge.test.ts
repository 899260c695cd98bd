import { describe, expect, test } from "vitest";
import { db } from "@/lib/platform/db";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { baseUrl, call, newTenant, send, type TestTenant } from "../support/api";
import { newKnowledgeBase } from "../support/documents";
import { head, openRaw, statusesIn } from "../support/raw-http";

// Unusual and broken HTTP, through both servers.

const json = "application/json";
const bearer = ({ key }: TestTenant) => ({ Authorization: `Bearer ${key}` });
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** Writes text on its own connection. @returns everything that the server sent before it ended it */
async function exchange(text: string): Promise<string> {
  const { socket, ended } = await openRaw(baseUrl());
  socket.write(text);
  return ended;
}

/** The body of the last response, parsed. */
const lastBody = (text: string) => JSON.parse(text.slice(text.lastIndexOf("\r\n\r\n") + 4));

describe("HTTP's own errors are problem+json", () => {
  test.each([
    [
      "400 without a Host header",
      "GET /v1/public/account HTTP/1.1\r\n\r\n",
      400,
      "malformed-request",
    ],
    [
      "417 for an expectation other than 100-continue",
      head("GET /v1/public/account HTTP/1.1", { Expect: "x" }),
      417,
      "expectation-failed",
    ],
    ["400 for what is not HTTP", "NONSENSE\r\n\r\n", 400, "malformed-request"],
    ["405 for TRACE", head("TRACE /v1/public/account HTTP/1.1", {}), 405, "method-not-allowed"],
    ["405 for TRACE of a page", head("TRACE /login HTTP/1.1", {}), 405, "method-not-allowed"],
    [
      "400 for a page's path that is not percent-encoded",
      head("GET /%zz HTTP/1.1", {}),
      400,
      "malformed-request",
    ],
    [
      "400 for a page's path that is not UTF-8",
      head("GET /%ff HTTP/1.1", {}),
      400,
      "malformed-request",
    ],
  ])("%s", async (_what, request, status, kind) => {
    const { socket, until } = await openRaw(baseUrl());
    socket.write(request);
    const text = await until(/\r\n\r\n\{.*\}$/s);
    expect(statusesIn(text)).toEqual([status]);
    expect(text).toContain("Content-Type: application/problem+json");
    expect(text).toMatch(/X-Request-Id: req_/);
    expect(lastBody(text)).toMatchObject({
      status,
      type: expect.stringMatching(new RegExp(`/errors/${kind}$`)),
    });
    socket.destroy();
  });

  test("204 with Allow for OPTIONS *", async () => {
    const text = await exchange(head("OPTIONS * HTTP/1.1", { Connection: "close" }));
    expect(statusesIn(text)).toEqual([204]);
    expect(text).toMatch(/^Allow: GET, HEAD, POST/m);
  });

  test("404 for an API path after two slashes, not a redirect", async () => {
    const tenant = await newTenant();
    const text = await exchange(
      head("GET //v1/public/account HTTP/1.1", { ...bearer(tenant), Connection: "close" }),
    );
    expect(statusesIn(text)).toEqual([404]);
    expect(text).toContain("application/problem+json");
  });

  test.each(["/customers/%ff", "/customers/%zz"])(
    "404 for %s, whose last part cannot be decoded",
    async (path) => {
      const text = await exchange(
        head(`GET /v1/public${path} HTTP/1.1`, {
          ...bearer(await newTenant()),
          Connection: "close",
        }),
      );
      expect(statusesIn(text)).toEqual([404]);
    },
  );

  test("422 for a query parameter named __proto__", async () => {
    const reply = await call(await newTenant(), "GET", "/conversations?__proto__=1");
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/__proto__", location: "query" }] },
    });
  });

  test("401 for two Authorization headers, 415 for two content types", async () => {
    const tenant = await newTenant();
    const twice = [
      `Authorization: Bearer ${tenant.key}`,
      `Authorization: Bearer ${tenant.key}`,
    ].join("\r\n");
    const unauthorized = await exchange(
      `GET /v1/public/account HTTP/1.1\r\nHost: a\r\n${twice}\r\nConnection: close\r\n\r\n`,
    );
    expect(statusesIn(unauthorized)).toEqual([401]);
    const types = `Content-Type: ${json}\r\nContent-Type: text/plain`;
    const request = `POST /v1/public/customers HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tenant.key}\r\n${types}\r\n`;
    expect(
      statusesIn(await exchange(`${request}Content-Length: 2\r\nConnection: close\r\n\r\n{}`)),
    ).toEqual([415]);
  });

  test("200 over HTTP/1.1 for a request that offers an upgrade", async () => {
    const tenant = await newTenant();
    const offer = {
      Connection: "Upgrade, HTTP2-Settings, close",
      Upgrade: "h2c",
      "HTTP2-Settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
    };
    const text = await exchange(
      head("GET /v1/public/account HTTP/1.1", { ...bearer(tenant), ...offer }),
    );
    expect(statusesIn(text)).toEqual([200]);
    expect(lastBody(text)).toMatchObject({ id: tenant.tenantId });

    const body = '{"name":"Ada"}';
    const headers = {
      ...bearer(tenant),
      ...offer,
      "Content-Type": json,
      "Content-Length": body.length,
    };
    expect(
      statusesIn(await exchange(head("POST /v1/public/customers HTTP/1.1", headers) + body)),
    ).toEqual([201]);
  });
});

describe("several requests on one connection", () => {
  const create = (tenant: TestTenant, name: string) => {
    const body = JSON.stringify({ name });
    return (
      head("POST /v1/public/customers HTTP/1.1", {
        ...bearer(tenant),
        "Content-Type": json,
        "Content-Length": body.length,
      }) + body
    );
  };

  test("accepted requests get their responses in order before the garbage after them is refused", async () => {
    const tenant = await newTenant();
    const text = await exchange(
      `${create(tenant, "Ada")}${create(tenant, "Grace")}NONSENSE\r\n\r\n`,
    );
    expect(statusesIn(text)).toEqual([201, 201, 400]);
    expect(text.indexOf('"Ada"')).toBeLessThan(text.indexOf('"Grace"'));
    expect(lastBody(text)).toMatchObject({ type: expect.stringMatching(/malformed-request$/) });
  });

  test("a client that has closed its half of the connection gets every response", async () => {
    const tenant = await newTenant();
    const { socket, ended } = await openRaw(baseUrl());
    socket.end(create(tenant, "Ada") + create(tenant, "Grace"));
    expect(statusesIn(await ended)).toEqual([201, 201]);
  });

  test("400 for a body whose client closes its half in the middle", async () => {
    const tenant = await newTenant();
    const { socket, ended } = await openRaw(baseUrl());
    socket.end(create(tenant, "Ada").slice(0, -4));
    const text = await ended;
    expect(statusesIn(text)).toEqual([400]);
    expect(lastBody(text)).toMatchObject({ detail: "The request body is incomplete." });
  });

  test("400 for malformed chunks after a request that succeeds", async () => {
    const tenant = await newTenant();
    const chunked = { ...bearer(tenant), "Content-Type": json, "Transfer-Encoding": "chunked" };
    const text = await exchange(
      `${create(tenant, "Ada")}${head("POST /v1/public/customers HTTP/1.1", chunked)}${chunk('{"na')}zz\r\n`,
    );
    expect(statusesIn(text)).toEqual([201, 400]);
  });
});

describe("a refusal reaches a client that is still sending", () => {
  const large = Buffer.alloc(6 * 1_024 ** 2, "x");

  test.each([
    ["with a length", false],
    ["in chunks", true],
  ])("413 for a body of 6 MiB %s, sent by fetch", async (_how, isChunked) => {
    const tenant = await newTenant();
    for (let round = 0; round < 8; round++) {
      const body = isChunked ? new Blob([large]).stream() : large;
      const init = {
        method: "POST",
        headers: { ...bearer(tenant), "content-type": json },
        body,
        duplex: "half",
      } as RequestInit;
      expect(await send("/v1/public/conversations", init)).toMatchObject({ status: 413 });
    }
  });

  test("413 reaches a client that reads only after it has sent the whole body", async () => {
    const tenant = await newTenant();
    const { socket, until, received } = await openRaw(baseUrl());
    socket.pause();
    socket.write(
      head("POST /v1/public/conversations HTTP/1.1", {
        ...bearer(tenant),
        "Content-Type": json,
        "Content-Length": large.length,
      }),
    );
    await new Promise<void>((resolve, reject) =>
      socket.write(large, (error) => (error ? reject(error) : resolve())),
    );
    expect(received()).toBe("");
    socket.resume();
    expect(statusesIn(await until(/\r\n\r\n\{/))).toEqual([413]);
    socket.destroy();
  });

  test("413 for a file sent in chunks that turns out to be too large", async () => {
    const tenant = await newTenant();
    const base = await newKnowledgeBase(tenant);
    const form = new FormData();
    form.set("file", new Blob([Buffer.alloc(21 * 1_024 ** 2, "x")]), "a.txt");
    const encoded = new Response(form);
    const headers = {
      ...bearer(tenant),
      "content-type": String(encoded.headers.get("content-type")),
    };
    const init = { method: "POST", headers, body: encoded.body, duplex: "half" } as RequestInit;
    expect(await send(`/v1/public/knowledge-bases/${base}/documents`, init)).toMatchObject({
      status: 413,
    });
  });

  test.each([
    ["401 without a key", 401, {}, 10],
    ["413 for a length that is too large", 413, { withKey: true }, 300_000],
    ["403 without the scope", 403, { withKey: true, scopes: ["read:usage"] as const }, 10],
  ])(
    "%s comes before 100 Continue",
    async (_what, status, {
      withKey = false,
      ...options
    }: { withKey?: boolean; scopes?: readonly ["read:usage"] }, length) => {
      const tenant = await newTenant(options);
      const { socket, until } = await openRaw(baseUrl());
      const headers = {
        ...(withKey && bearer(tenant)),
        "Content-Type": json,
        "Content-Length": length,
        Expect: "100-continue",
      };
      socket.write(head("POST /v1/public/customers HTTP/1.1", headers));
      expect(statusesIn(await until(/\r\n\r\n\{/))).toEqual([status]);
      socket.destroy();
    },
  );

  test("100 Continue, and then 201, for a request that is allowed", async () => {
    const tenant = await newTenant();
    const { socket, until } = await openRaw(baseUrl());
    const body = '{"name":"Ada"}';
    const headers = {
      ...bearer(tenant),
      "Content-Type": json,
      "Content-Length": body.length,
      Expect: "100-continue",
    };
    socket.write(head("POST /v1/public/customers HTTP/1.1", headers));
    await until(/^HTTP\/1\.1 100 Continue/);
    socket.write(body);
    expect(statusesIn(await until(/\r\n\r\n\{/))).toEqual([100, 201]);
    socket.destroy();
  });

  test("413 arrives for DELETE with a body of 300 KB", async () => {
    const reply = await call(
      await newTenant(),
      "DELETE",
      "/webhooks/whk_00000000000000000000000000",
      "x".repeat(300_000),
    );
    expect(reply.status).toBe(413);
  });
});

describe("413 as soon as a body outside the API exceeds its limit", () => {
  test.each([
    ["/api/auth/callback/credentials", 16],
    ["/api/auth/_log", 16],
    ["/api/inngest", 1_024],
    ["/login", 256],
    ["/acme/test/agents", 256],
    ["/api/dashboard/acme/test/usage", 256],
    ["/nothing", 256],
  ])("%s takes %i KiB", async (path, kib) => {
    const { socket, until } = await openRaw(baseUrl());
    socket.write(head(`POST ${path} HTTP/1.1`, { "Content-Length": kib * 1_024 + 1 }));
    const announced = await until(/\r\n\r\n\{.*\}$/s);
    expect(statusesIn(announced)).toEqual([413]);
    expect(lastBody(announced)).toMatchObject({
      detail: `The body must be at most ${kib} KiB.`,
      instance: path,
    });
    socket.destroy();

    // Without a length it is counted as it arrives, and refused although it never ends.
    const streaming = await openRaw(baseUrl());
    streaming.socket.write(
      head(`POST ${path} HTTP/1.1`, { "Transfer-Encoding": "chunked" }) +
        chunk("x".repeat(kib * 1_024 + 1)),
    );
    expect(statusesIn(await streaming.until(/\r\n\r\n\{.*\}$/s))).toEqual([413]);
    streaming.socket.destroy();
  });

  test("413 if the length is the last of 1,100 headers", async () => {
    const filler = Object.fromEntries(
      Array.from({ length: 1_098 }, (_, index) => [`h${index}`, "1"]),
    );
    const { socket, until } = await openRaw(baseUrl());
    socket.write(head("POST /login HTTP/1.1", { ...filler, "Content-Length": 256 * 1_024 + 1 }));
    expect(statusesIn(await until(/\r\n\r\n/))).toEqual([413]);
    socket.destroy();
  });

  test("413 arrives although the body continues for megabytes", async () => {
    const body = new Blob([Buffer.alloc(6 * 1_024 ** 2, "x")]);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const init = { method: "POST", headers, body: body.stream(), duplex: "half" } as RequestInit;
    expect((await send("/api/auth/callback/credentials", init)).status).toBe(413);
  });

  test("413 comes before 100 Continue", async () => {
    const { socket, until } = await openRaw(baseUrl());
    socket.write(
      head("POST /api/auth/callback/credentials HTTP/1.1", {
        "Content-Length": 20_000,
        Expect: "100-continue",
      }),
    );
    expect(statusesIn(await until(/\r\n\r\n\{/))).toEqual([413]);
    socket.destroy();
  });
});

describe("a client that disconnects in the middle of its body", () => {
  test.each(["chunked", "multipart", "with a length"])(
    "is a 400 in the request log (%s)",
    async (how) => {
      const tenant = await newTenant();
      const base = await newKnowledgeBase(tenant);
      const isForm = how === "multipart";
      const path = isForm ? `/v1/public/knowledge-bases/${base}/documents` : "/v1/public/customers";
      const type = isForm ? "multipart/form-data; boundary=x" : json;
      const part = isForm
        ? '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nTe'
        : '{"name":';
      const length: Record<string, string> =
        how === "with a length" ? { "Content-Length": "100" } : { "Transfer-Encoding": "chunked" };
      const { socket } = await openRaw(baseUrl());
      const text = head(`POST ${path} HTTP/1.1`, {
        ...bearer(tenant),
        "Content-Type": type,
        Expect: "100-continue",
        ...length,
      });
      socket.write(text);
      // Once the server requests the body, it is reading the request.
      await new Promise((resolve) => socket.once("data", resolve));
      socket.write(how === "with a length" ? part : chunk(part), () => socket.resetAndDestroy());
      const logged = () =>
        db().requestLog.findFirst({ where: { tenantId: tenant.tenantId, path, method: "POST" } });
      await expect
        .poll(async () => {
          await flushRequestLogs();
          return (await logged())?.status;
        })
        .toBe(400);
    },
  );
});

test("every response below /v1 forbids sniffing, and requires https where it came over https", async () => {
  const tenant = await newTenant();
  for (const path of ["/account", "/nothing"]) {
    const plain = await call(tenant, "GET", path);
    expect(plain.headers.get("x-content-type-options")).toBe("nosniff");
    expect(plain.headers.get("strict-transport-security")).toBeNull();
    const behindProxy = await call(tenant, "GET", path, undefined, {
      "x-forwarded-proto": "https",
    });
    expect(behindProxy.headers.get("strict-transport-security")).toBe("max-age=63072000");
  }
});

test("415 for another multipart type says how to send the file", async () => {
  const tenant = await newTenant();
  const base = await newKnowledgeBase(tenant);
  const headers = { "content-type": "multipart/mixed; boundary=x" };
  const reply = await call(
    tenant,
    "POST",
    `/knowledge-bases/${base}/documents`,
    "--x--\r\n",
    headers,
  );
  expect(reply).toMatchObject({
    status: 415,
    body: { detail: expect.stringContaining("multipart/form-data") },
  });
});

test("a response repeats at most 100 characters of what a client sent", async () => {
  const tenant = await newTenant();
  const long = "k".repeat(100_000);
  const unknown = await call(tenant, "POST", "/customers", {
    name: "Ada",
    [long]: 1,
    metadata: { [long]: 1 },
  });
  expect(unknown.status).toBe(422);
  expect(unknown.text.length).toBeLessThan(3_000);
  expect(unknown.text).not.toContain("k".repeat(101));
  expect(unknown.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
    expect.arrayContaining([`/${"k".repeat(99)}…`, `/metadata/${"k".repeat(99)}…`]),
  );

  const nested = await call(tenant, "POST", "/customers", {
    name: { [long]: { [long]: "\u0000" } },
  });
  expect(nested.text).not.toContain("k".repeat(101));
  const parameter = await call(tenant, "GET", `/customers?${"k".repeat(10_000)}=1`);
  expect(parameter.text).not.toContain("k".repeat(101));
  const repeated = await call(
    tenant,
    "GET",
    `/customers?${"k".repeat(5_000)}=1&${"k".repeat(5_000)}=2`,
  );
  expect(repeated.text).not.toContain("k".repeat(101));
});

describe("a form that no page of ours sent is refused before Next reads it", () => {
  const form = { "Content-Type": "multipart/form-data; boundary=x" };
  const id = "4".repeat(42);

  test.each([
    ["403 from a page of another site", { ...form, Origin: "https://elsewhere.example" }, 403],
    ["403 from a page without an origin", { ...form, "Next-Action": id, Origin: "null" }, 403],
    ["403 for an origin that is not a URL", { "Next-Action": id, Origin: "%" }, 403],
    ["400 for what is not the id of an action", { "Next-Action": "<script>" }, 400],
    ["400 without a boundary", { "Next-Action": id, "Content-Type": "multipart/form-data" }, 400],
  ])("%s", async (_what, headers, status) => {
    const response = await fetch(`${baseUrl()}/login`, { method: "POST", headers, body: "x" });
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("text/plain");
    expect(await response.text()).toMatch(/^[^<>]+\.\n$/);
  });

  test.each(["/api/live", "/api/dashboard/agents", "/api/auth/signout"])(
    "403 from a page of another site for %s",
    async (path) => {
      const headers = { "Next-Action": id, Origin: "https://elsewhere.example" };
      const response = await fetch(`${baseUrl()}${path}`, { method: "POST", headers, body: "x" });
      expect(response.status).toBe(403);
    },
  );

  test("the API takes no part in this: it has no cookies", async () => {
    const headers = {
      ...bearer(await newTenant()),
      "Content-Type": json,
      Origin: "https://elsewhere.example",
      "Next-Action": "x",
    };
    const body = JSON.stringify({ name: "Ada" });
    const created = await send("/v1/public/customers", { method: "POST", headers, body });
    expect(created.status).toBe(201);
  });
});

test("a request with more than 16 KiB of headers is told so", async () => {
  const response = await fetch(`${baseUrl()}/v1/public/account`, {
    headers: { "x-long": "a".repeat(17_000) },
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ detail: "The URL and the headers have more than 16 KiB." }),
  ]);
});
