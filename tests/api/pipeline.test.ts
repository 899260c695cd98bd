import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { generateKey } from "@/lib/api-keys/key-format";
import { revokeApiKey, updateApiKey } from "@/lib/api-keys/service";
import { mutate } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { baseUrl, call, mistyped, newKey, newTenant, send, withoutIds } from "../support/api";

const kind = (name: string) => ({ type: expect.stringMatching(new RegExp(`/errors/${name}$`)) });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe("authentication", () => {
  test("401 is the same response for a missing, malformed, unknown, expired and revoked key", async () => {
    const tenant = await newTenant();
    const revoked = await newKey(tenant);
    await mutate(revoked.identity, (caller) => revokeApiKey(caller, revoked.keyId));
    const expired = await newKey(tenant);
    await db().apiKey.updateMany({
      where: { id: expired.keyId },
      data: { expiresAt: new Date(Date.now() - 1) },
    });
    const headers = [
      {},
      bearer(""),
      { authorization: tenant.key },
      { authorization: `Basic ${tenant.key}` },
      bearer(mistyped(tenant.key)),
      bearer(generateKey("test").key),
      bearer(revoked.key),
      bearer(expired.key),
    ];

    const replies = await Promise.all(
      headers.map((init) => send("/v1/public/conversations", { headers: init })),
    );

    for (const reply of replies) {
      expect(reply.status).toBe(401);
      expect(reply.headers.get("www-authenticate")).toBe("Bearer");
      expect(reply.headers.get("content-type")).toBe("application/problem+json");
      expect(reply.headers.get("x-request-id")).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
      expect(reply.body.requestId).toBe(reply.headers.get("x-request-id"));
      expect(withoutIds(reply.body)).toEqual(withoutIds(replies[0]?.body));
    }
    expect(replies[0]?.body).toMatchObject({
      status: 401,
      instance: "/v1/public/conversations",
      ...kind("unauthorized"),
    });
  });

  test("401 for a key that was just used, as soon as the process hears of its revocation", async () => {
    const tenant = await newTenant();
    expect((await call(tenant, "GET", "/account")).status).toBe(200);

    // Time does not move, so the notification ends the key and not the age of the cache.
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      await mutate(tenant.identity, (caller) => revokeApiKey(caller, tenant.keyId));
      await expect.poll(async () => (await call(tenant, "GET", "/account")).status).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });

  // Next's own server is another process, whose clock a test cannot set.
  test.skipIf(process.env.TEST_SERVER === "next")(
    "a clock that was set back an hour keeps neither a revoked key alive nor the time of last use",
    async () => {
      const tenant = await newTenant();
      const where = { id: tenant.keyId };
      const lastUsedAt = async () =>
        Number((await db().apiKey.findFirstOrThrow({ where })).lastUsedAt);
      const status = async () => (await call(tenant, "GET", "/account")).status;
      expect(await status()).toBe(200);
      const before = Date.now();
      await expect.poll(lastUsedAt).toBeGreaterThan(0);

      vi.useFakeTimers({ toFake: ["Date"], now: before - 3_600_000 });
      try {
        expect(await status()).toBe(200);
        await expect.poll(lastUsedAt).toBe(before - 3_600_000);
        // As if the notification of the revocation was lost.
        await db().apiKey.updateMany({ where, data: { revokedAt: new Date(before) } });
        await expect.poll(status, { timeout: 60_000 }).toBe(401);
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test("403 ip-not-allowed outside the networks of the key", async () => {
    const [inside, outside] = [
      await newTenant({ allowedIps: ["127.0.0.0/8", "::1"] }),
      await newTenant({ allowedIps: ["203.0.113.0/24", "2001:db8::/32"] }),
    ];
    expect((await call(inside, "GET", "/account")).status).toBe(200);
    expect(await call(outside, "GET", "/account")).toMatchObject({
      status: 403,
      body: kind("ip-not-allowed"),
    });
  });

  test("403 ip-not-allowed neither counts against the limit of the key nor is billed", async () => {
    const leaked = await newTenant({ allowedIps: ["203.0.113.0/24"], rateLimitPerMinute: 2 });
    const replies = [];
    for (let index = 0; index < 4; index++) replies.push(await call(leaked, "GET", "/account"));
    expect(replies.map(({ status, headers }) => [status, headers.get("ratelimit")])).toEqual(
      Array(4).fill([403, null]),
    );

    await mutate(leaked.identity, (caller) =>
      updateApiKey(caller, leaked.keyId, { allowedIps: [] }),
    );
    await expect
      .poll(async () => (await call(leaked, "GET", "/account")).headers.get("ratelimit"))
      .toMatch(/^"default";r=1;/);
    // Anything counted before it would be written with it.
    const billed = () => db().usageDay.findFirst({ where: { apiKeyId: leaked.keyId } });
    await expect.poll(billed).toMatchObject({ apiRequests: 1 });
  });

  test("the time of last use is written soon after", async () => {
    const tenant = await newTenant();
    await call(tenant, "GET", "/account");
    await expect
      .poll(
        async () =>
          (await db().apiKey.findFirstOrThrow({ where: { id: tenant.keyId } })).lastUsedAt,
      )
      .toBeInstanceOf(Date);
  });
});

describe("rate limit", () => {
  test("429 after the limit of the key, with the rate limit headers on every response", async () => {
    const tenant = await newTenant({ rateLimitPerMinute: 3 });

    const replies = [];
    for (let index = 0; index < 4; index++)
      replies.push(await call(tenant, "GET", index === 1 ? "/nothing" : "/account"));

    expect(replies.map(({ status }) => status)).toEqual([200, 404, 200, 429]);
    replies.forEach(({ headers }, index) => {
      const remaining = Math.max(0, 2 - index);
      expect(headers.get("ratelimit-policy")).toBe('"default";q=3;w=60, "tenant";q=600;w=60');
      expect(headers.get("ratelimit")).toMatch(
        new RegExp(
          `^"default";r=${remaining};t=([1-9]|[1-5][0-9]|60), "tenant";r=${597 + remaining};t=\\d+$`,
        ),
      );
      expect(headers.get("x-ratelimit-limit")).toBe("3");
      expect(headers.get("x-ratelimit-remaining")).toBe(String(remaining));
      expect(
        Math.abs(Number(headers.get("x-ratelimit-reset")) - Date.now() / 1_000),
      ).toBeLessThanOrEqual(61);
    });
    expect(replies[3]?.body).toMatchObject({
      status: 429,
      ...kind("rate-limited"),
      retryAfter: Number(replies[3]?.headers.get("retry-after")),
    });
    expect(replies[3]?.body.retryAfter).toBeGreaterThanOrEqual(1);
  });

  test("60 requests a minute unless the key or the plan says otherwise", async () => {
    const tenant = await newTenant({ rateLimitPerMinute: null });
    expect((await call(tenant, "GET", "/account")).headers.get("ratelimit-policy")).toBe(
      '"default";q=60;w=60, "tenant";q=600;w=60',
    );
    await db().tenant.update({ where: { id: tenant.tenantId }, data: { plan: "PRO" } });
    const another = await newKey(tenant, { rateLimitPerMinute: null });
    const reply = await call(another, "GET", "/account");
    expect(reply.body.rateLimit).toEqual({ limit: 600, windowSeconds: 60 });
    expect(reply.headers.get("ratelimit-policy")).toBe(
      '"default";q=600;w=60, "tenant";q=6000;w=60',
    );
  });

  test("429 for every key of an environment once all of them together used ten times the limit of the plan", async () => {
    const tenant = await newTenant({ rateLimitPerMinute: null });
    const others = await Promise.all(
      Array.from({ length: 11 }, () => newKey(tenant, { rateLimitPerMinute: null })),
    );
    const statuses = [];
    for (const key of others) {
      statuses.push(
        ...(await Promise.all(Array.from({ length: 60 }, () => call(key, "GET", "/account")))).map(
          ({ status }) => status,
        ),
      );
    }
    expect([
      statuses.filter((status) => status === 200).length,
      statuses.filter((status) => status === 429).length,
    ]).toEqual([600, 60]);

    // An unused key is refused, and the response says which limit was reached.
    const refused = await call(tenant, "GET", "/account");
    expect(refused).toMatchObject({ status: 429, body: kind("rate-limited") });
    expect(refused.body.detail).toContain(
      "The limit of 600 requests per minute for all API keys of this environment together is reached.",
    );
    expect(refused.headers.get("ratelimit")).toMatch(/^"default";r=60;t=\d+, "tenant";r=0;t=\d+$/);
    expect(refused.headers.get("x-ratelimit-limit")).toBe("600");
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");

    // The other environment has its own ceiling, and a key that an operator raised above the
    // plan counts by itself.
    const [live, raised] = [
      await newKey(tenant, { environment: "live", rateLimitPerMinute: null }),
      await newKey(tenant),
    ];
    expect((await call(live, "GET", "/account")).headers.get("ratelimit")).toMatch(
      /"tenant";r=599;/,
    );
    expect((await call(raised, "GET", "/account")).headers.get("ratelimit-policy")).toBe(
      '"default";q=100000;w=60',
    );
  });
});

describe("what is not there", () => {
  test("404 as problem+json for unknown paths, 401 without a key", async () => {
    const tenant = await newTenant();
    for (const path of [
      "/v1",
      "/v1/",
      "/v1/public",
      "/v1/public/",
      "/v1/public/nothing",
      "/v1/public/conversations/",
      "/v1/admin/x",
      "/v1/public/conversations/%zz",
      "/v1/public/customers/%00",
    ]) {
      const reply = await send(path, { headers: bearer(tenant.key) });
      expect([path, reply.status, reply.headers.get("content-type")]).toEqual([
        path,
        404,
        "application/problem+json",
      ]);
      expect(reply.body).toMatchObject({ instance: path, ...kind("not-found") });
      expect((await send(path, {})).status).toBe(401);
    }
  });

  test.each(["PUT", "DELETE", "PATCH", "OPTIONS"])("405 with Allow for %s", async (method) => {
    const tenant = await newTenant();
    const reply = await call(tenant, method, "/conversations", undefined);
    expect(reply).toMatchObject({ status: 405, body: kind("method-not-allowed") });
    expect(reply.headers.get("allow")).toBe("GET, HEAD, POST");
  });

  test("200 without a body for HEAD", async () => {
    const tenant = await newTenant();
    const reply = await call(tenant, "HEAD", "/conversations");
    expect([reply.status, reply.text]).toEqual([200, ""]);
  });

  test("404 is the same for ids of another tenant, of the other environment and of nothing, wherever an operation takes an id", async () => {
    const tenant = await newTenant();
    const made = async (path: string, body: object) =>
      (await call(tenant, "POST", path, body)).body.id as string;
    const conversation = await made("/conversations", { channelId: "web", message: "Hi" });
    const message = (await call(tenant, "GET", `/conversations/${conversation}/messages`)).body
      .data[0].id;
    const customer = await made("/customers", { name: "Ada" });
    const webhook = await made("/webhooks", { url: "https://example.com/", events: ["*"] });
    const strangers = [await newTenant(), await newKey(tenant, { environment: "live" })];

    const requests: [method: string, path: string, body?: object][] = [
      ["GET", `/conversations/${conversation}`],
      ["PATCH", `/conversations/${conversation}`, { subject: "x" }],
      ["GET", `/conversations/${conversation}/messages`],
      ["POST", `/conversations/${conversation}/messages`, { text: "x" }],
      ["GET", `/conversations/${conversation}/messages/${message}`],
      ["GET", `/customers/${customer}`],
      ["PATCH", `/customers/${customer}`, { name: "x" }],
      ["GET", `/webhooks/${webhook}`],
      ["PATCH", `/webhooks/${webhook}`, { description: "x" }],
      ["DELETE", `/webhooks/${webhook}`],
      ["POST", "/conversations", { channelId: "web", customerId: customer }],
    ];
    for (const stranger of strangers) {
      const own = (await call(stranger, "POST", "/conversations", { channelId: "web" })).body.id;
      for (const [method, path, body] of [
        ...requests,
        ["PATCH", `/conversations/${own}`, { customerId: customer }] as const,
      ]) {
        const nothing = (text: string) =>
          text.replaceAll(/(cnv|msg|cus|whk)_(?!.{26}.*own)[0-9A-Z]{26}/g, (id) =>
            id === own ? id : `${id.slice(0, 4)}00000000000000000000000000`,
          );
        const hidden = await call(stranger, method, path, body);
        const missing = await call(
          stranger,
          method,
          nothing(path),
          body && JSON.parse(nothing(JSON.stringify(body))),
        );
        expect([method, path, hidden.status]).toEqual([method, path, 404]);
        expect(withoutIds(hidden.body)).toEqual(withoutIds(missing.body));
      }
      for (const path of ["/conversations", "/customers", "/webhooks", "/events"]) {
        const { data } = (await call(stranger, "GET", path)).body;
        for (const item of data) expect(JSON.stringify(item)).not.toContain(tenant.tenantId);
        expect(JSON.stringify(data)).not.toMatch(
          new RegExp([conversation, customer, webhook].join("|")),
        );
      }
      const theirCursor = await call(stranger, "GET", `/conversations?cursor=${conversation}`);
      const noCursor = await call(
        stranger,
        "GET",
        `/conversations?cursor=cnv_00000000000000000000000000`,
      );
      expect(theirCursor.status).toBe(422);
      expect(withoutIds(theirCursor.body)).toEqual(withoutIds(noCursor.body));
    }
    expect((await call(tenant, "GET", `/conversations/${conversation}`)).body.messageCount).toBe(1);
  });
});

describe("bodies", () => {
  test.each([
    ["400", "malformed-request", "{", {}],
    ["400", "malformed-request", "", {}],
    ["415", "unsupported-media-type", "{}", { "content-type": "text/plain" }],
    ["415", "unsupported-media-type", "{}", { "content-type": "application/json; charset=latin1" }],
    ["415", "unsupported-media-type", "{}", { "content-encoding": "gzip" }],
    [
      "413",
      "payload-too-large",
      JSON.stringify({ channelId: "web", subject: "x".repeat(256 * 1_024) }),
      {},
    ],
  ])("%s %s", async (status, name, body, headers) => {
    const tenant = await newTenant();
    expect(
      await call(tenant, "POST", "/conversations", body, headers as Record<string, string>),
    ).toMatchObject({
      status: Number(status),
      body: kind(name),
    });
  });

  test("400 for bytes that are not UTF-8, and 413 for a stream of undeclared length that grows too long", async () => {
    const tenant = await newTenant();
    const post = (body: BodyInit) =>
      send("/v1/public/conversations", {
        method: "POST",
        headers: { ...bearer(tenant.key), "content-type": "application/json" },
        body,
        duplex: "half",
      } as RequestInit);
    expect((await post(new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400);
    const chunks = Array.from({ length: 40 }, () => randomBytes(10_000));
    const stream = new ReadableStream({
      pull: (controller) =>
        chunks.length > 0 ? controller.enqueue(chunks.pop()) : controller.close(),
    });
    expect((await post(stream)).status).toBe(413);
  });

  test("422 lists every mistake in one response, each with its pointer", async () => {
    const tenant = await newTenant();
    const body = {
      channelId: "",
      subject: "x".repeat(201),
      priority: "SOON",
      tags: ["", 1],
      metadata: { a: {} },
      tenantId: "ten_1",
      status: "CLOSED",
      "a/b": 1,
    };

    const reply = await call(tenant, "POST", "/conversations?x=1", body);

    expect(reply).toMatchObject({ status: 422, body: kind("validation") });
    const found = reply.body.errors.map(
      ({ location, pointer, code }: Record<string, string>) => `${location} ${pointer} ${code}`,
    );
    expect(found.toSorted()).toEqual(
      [
        "query /x unknown_field",
        "body /channelId too_small",
        "body /subject too_big",
        "body /priority invalid_value",
        "body /tags/0 too_small",
        "body /tags/1 invalid_type",
        "body /metadata/a invalid_union",
        "body /tenantId unknown_field",
        "body /status read_only",
        "body /a~1b unknown_field",
      ].toSorted(),
    );
    for (const { message } of reply.body.errors) expect(message.length).toBeGreaterThan(5);
  });

  test("422 names a required field in its detail", async () => {
    const tenant = await newTenant();
    const reply = await call(tenant, "POST", "/conversations", {});
    expect(reply.body).toMatchObject({
      status: 422,
      title: "Validation failed",
      detail: "channelId is required.",
      instance: "/v1/public/conversations",
    });
    expect(reply.body.errors).toEqual([
      {
        pointer: "/channelId",
        location: "body",
        code: "required",
        message: "channelId is required",
      },
    ]);
  });

  const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
  test.each<[string, unknown, string]>([
    ["NUL in a text", { channelId: "a\u0000b" }, "/channelId"],
    ["a lone surrogate", { channelId: "web", subject: "\ud800" }, "/subject"],
    ["NUL in a key", { channelId: "web", metadata: { "a\u0000": 1 } }, "/metadata/a\u0000"],
    [
      "a number that a double cannot hold",
      '{"channelId":"web","metadata":{"a":9007199254740993}}',
      "/metadata/a",
    ],
    ["33 levels", { channelId: "web", metadata: deep(33) }, "/metadata/a"],
    [
      "1,001 keys",
      {
        channelId: "web",
        metadata: Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`k${index}`, 1])),
      },
      "",
    ],
    ["a list instead of an object", [], ""],
    [
      "51 metadata keys",
      {
        channelId: "web",
        metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 1])),
      },
      "/metadata",
    ],
    ["a text instead of an object", '"x"', ""],
  ])("422 for %s", async (_what, body, pointer) => {
    const tenant = await newTenant();
    const reply = await call(tenant, "POST", "/conversations", body);
    expect(reply.status).toBe(422);
    expect(reply.body.errors[0].pointer.startsWith(pointer)).toBe(true);
  });

  test("422 for a query parameter that is repeated or unknown", async () => {
    const tenant = await newTenant();
    for (const query of ["limit=1&limit=2", "offset=5", "status=OPEN&status=CLOSED"]) {
      const reply = await call(tenant, "GET", `/conversations?${query}`);
      expect(reply).toMatchObject({ status: 422, body: { errors: [{ location: "query" }] } });
    }
  });

  test("a prototype cannot be polluted through metadata", async () => {
    const tenant = await newTenant();
    const reply = await call(
      tenant,
      "POST",
      "/conversations",
      '{"channelId":"web","metadata":{"__proto__":"x","constructor":"y"}}',
    );
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    expect(reply.status).toBeLessThan(500);
  });
});

test("400 as problem+json for bytes that are not HTTP", async () => {
  const { hostname, port } = new URL(baseUrl());
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write("NONSENSE\r\n\r\n"));
    let text = "";
    socket.on("data", (part) => {
      text += part;
    });
    socket.on("close", () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain("application/problem+json");
});

test("response headers do not name our software", async () => {
  const { headers } = await call(await newTenant(), "GET", "/account");
  expect(headers.get("x-powered-by")).toBeNull();
  expect(headers.get("server")).toBeNull();
  expect(headers.get("cache-control")).toBe("no-store");
});

test("200 for a request line with an absolute URL, 400 for one without a usable host", async () => {
  const { key } = await newTenant();
  const raw = (head: string) =>
    new Promise<string>((resolve) => {
      const { hostname, port } = new URL(baseUrl());
      const socket = connect(Number(port), hostname, () =>
        socket.write(`${head}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`),
      );
      let text = "";
      socket.on("data", (part) => {
        text += part;
      });
      socket.on("close", () => resolve(text));
    });
  expect(
    await raw("GET http://example.com/v1/public/account HTTP/1.1\r\nHost: example.com"),
  ).toMatch(/^HTTP\/1\.1 200 /);
  expect(await raw("GET /v1/public/account HTTP/1.0")).toMatch(/^HTTP\/1\.1 200 /);
  const refused = await raw("GET /v1/public/account HTTP/1.1\r\nHost: a b");
  expect(refused).toMatch(/^HTTP\/1\.1 400 /);
  expect(refused).toContain("application/problem+json");
});

test("400 for a query that is not UTF-8, 422 for a time out of range and for an empty filter", async () => {
  const tenant = await newTenant();
  expect(await call(tenant, "GET", "/conversations?channelId=%ff")).toMatchObject({
    status: 400,
    body: kind("malformed-request"),
  });
  for (const query of [
    "/events?since=0000-01-01T00:00:00Z",
    "/conversations?updatedSince=0000-01-01T00:00:00Z",
    "/conversations?customerId=",
  ]) {
    expect([query, (await call(tenant, "GET", query)).status]).toEqual([query, 422]);
  }
  expect((await call(tenant, "GET", "/conversations?limit=10000000000000000000000")).status).toBe(
    200,
  );
});

test("422 lists at most 50 mistakes", async () => {
  const tenant = await newTenant();
  const many = Array.from({ length: 80 }, (_, index) => `k${index}`);
  const query = many.map((name) => `${name}=1`).join("&");
  expect((await call(tenant, "GET", `/account?${query}`)).body.errors).toHaveLength(50);
  expect(
    (
      await call(
        tenant,
        "POST",
        `/conversations?${query}`,
        Object.fromEntries(many.map((name) => [name, 1])),
      )
    ).body.errors,
  ).toHaveLength(50);
});

test("404 repeats the requested id, whatever its format", async () => {
  const tenant = await newTenant();
  for (const id of ["nope", "cus_00000000000000000000000000"]) {
    expect((await call(tenant, "GET", `/customers/${id}`)).body.detail).toBe(
      `There is no customer with the id "${id}".`,
    );
  }
});
