import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { chooseEncoding } from "@/lib/api/encode";
import { baseUrl, call, newTenant, type TestTenant } from "../support/api";
import { newKnowledgeBase } from "../support/documents";
import { head, openRaw } from "../support/raw-http";

/** A response as it is on the wire, which `fetch` does not show. */
async function getRaw({ key }: TestTenant, path: string, headers: Record<string, string> = {}) {
  const { socket, ended } = await openRaw(baseUrl());
  socket.write(
    head(`GET /v1/public${path} HTTP/1.1`, {
      Authorization: `Bearer ${key}`,
      Connection: "close",
      ...headers,
    }),
  );
  const text = await ended;
  const end = text.indexOf("\r\n\r\n");
  return { head: text.slice(0, end), bytes: Buffer.from(text.slice(end + 4), "latin1") };
}

describe("compression", () => {
  test("br or gzip where the client accepts it and the body is larger than 1 KB, otherwise the same bytes uncompressed", async () => {
    const tenant = await newTenant();
    const large = (
      await call(tenant, "POST", "/customers", {
        name: "Ada",
        metadata: { a: "ä".repeat(500), b: "y".repeat(400) },
      })
    ).body.id;
    const small = (await call(tenant, "POST", "/customers", { name: "Ada" })).body.id;

    const plain = await getRaw(tenant, `/customers/${large}`);
    expect(plain.head).not.toMatch(/content-encoding/i);
    expect(plain.head).toMatch(/^Vary: Accept-Encoding$/im);
    expect(JSON.parse(plain.bytes.toString())).toMatchObject({ id: large });
    for (const [accepted, encoding, decode] of [
      ["gzip", "gzip", gunzipSync],
      ["gzip, deflate, br", "br", brotliDecompressSync],
      ["br;q=0.1, gzip;q=0.9", "gzip", gunzipSync],
    ] as const) {
      const response = await getRaw(tenant, `/customers/${large}`, { "Accept-Encoding": accepted });
      expect(response.head).toMatch(new RegExp(`^Content-Encoding: ${encoding}$`, "im"));
      expect(response.head).toMatch(/^Vary: Accept-Encoding$/im);
      expect(response.head).toMatch(new RegExp(`^Content-Length: ${response.bytes.length}$`, "im"));
      expect(response.bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(decode(response.bytes)).toEqual(plain.bytes);
    }
    const short = await getRaw(tenant, `/customers/${small}`, { "Accept-Encoding": "gzip, br" });
    expect(short.head).not.toMatch(/content-encoding|vary/i);
    expect(JSON.parse(short.bytes.toString())).toMatchObject({ id: small });
  });

  test("problems are compressed as well", async () => {
    const tenant = await newTenant();
    const many = Array.from({ length: 60 }, (_, index) => `k${index}=1`).join("&");
    const response = await getRaw(tenant, `/account?${many}`, { "Accept-Encoding": "gzip" });
    expect(response.head).toMatch(/^Content-Encoding: gzip$/im);
    expect(JSON.parse(gunzipSync(response.bytes).toString())).toMatchObject({ status: 422 });
  });

  test("a replay is byte for byte the first response, in any combination of encodings", async () => {
    const tenant = await newTenant();
    const body = {
      name: "Ada",
      metadata: { a: "x".repeat(500), b: "y".repeat(500), c: "z".repeat(500) },
    };
    const send = (accepted: string) =>
      call(tenant, "POST", "/customers", body, {
        "idempotency-key": "same",
        "accept-encoding": accepted,
      });
    const first = await send("gzip");
    const replays = [await send("identity"), await send("br"), await send("gzip")];
    expect(first.headers.get("content-encoding")).toBe("gzip");
    expect(replays.map(({ headers }) => headers.get("content-encoding"))).toEqual([
      null,
      "br",
      "gzip",
    ]);
    for (const replay of replays) {
      expect(replay.headers.get("idempotent-replayed")).toBe("true");
      expect(replay.text).toBe(first.text);
    }
  });

  test.each([
    [null, null],
    ["", null],
    ["identity", null],
    ["*", "br"],
    ["gzip;q=0", null],
    ["br;q=0, *", "gzip"],
    ["GZIP", "gzip"],
    ["gzip;q=x, br;q=0.5", "br"],
    ["gzip, br", "br"],
  ])("Accept-Encoding %j chooses %j", (accepted, encoding) => {
    expect(chooseEncoding(accepted)).toBe(encoding);
  });

  test("an Accept-Encoding of more than 1,000 characters is not read", () => {
    expect(chooseEncoding(`gzip, ${"x".repeat(1_000)}`)).toBeNull();
  });
});

describe("versions of a resource", () => {
  test("304 without a body while the resource is unchanged, 200 with another ETag afterwards", async () => {
    const tenant = await newTenant();
    const { id } = (await call(tenant, "POST", "/customers", { name: "Ada" })).body;
    const first = await call(tenant, "GET", `/customers/${id}`);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    expect((await call(tenant, "HEAD", `/customers/${id}`)).headers.get("etag")).toBe(etag);

    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const reply = await call(tenant, method, `/customers/${id}`, undefined, {
          "if-none-match": known,
        });
        expect([known, method, reply.status, reply.text]).toEqual([known, method, 304, ""]);
        expect(reply.headers.get("etag")).toBe(etag);
        expect(reply.headers.get("content-type")).toBeNull();
      }
    }
    await call(tenant, "PATCH", `/customers/${id}`, { name: "Grace" });
    const changed = await call(tenant, "GET", `/customers/${id}`, undefined, {
      "if-none-match": etag,
    });
    expect(changed).toMatchObject({ status: 200, body: { name: "Grace" } });
    expect(changed.headers.get("etag")).not.toBe(etag);
  });

  test("the ETag of a compressed response is weak, and names the same version", async () => {
    const tenant = await newTenant();
    const metadata = { a: "x".repeat(500), b: "y".repeat(500), c: "z".repeat(500) };
    const { id } = (await call(tenant, "POST", "/customers", { name: "Ada", metadata })).body;
    const plain = await call(tenant, "GET", `/customers/${id}`, undefined, {
      "accept-encoding": "identity",
    });
    const packed = await call(tenant, "GET", `/customers/${id}`, undefined, {
      "accept-encoding": "gzip",
    });
    expect(packed.headers.get("etag")).toBe(`W/${plain.headers.get("etag")}`);
    const again = await call(tenant, "GET", `/customers/${id}`, undefined, {
      "if-none-match": packed.headers.get("etag") ?? "",
    });
    expect(again.status).toBe(304);
  });

  test("every single resource has an ETag, a list has none, and a missing resource is 404 for any If-None-Match", async () => {
    const tenant = await newTenant();
    const made = async (path: string, body: object) =>
      `${path}/${(await call(tenant, "POST", path, body)).body.id}`;
    const conversation = await made("/conversations", { channelId: "web", message: "Hello" });
    const paths = [
      conversation,
      `${conversation}/messages/${(await call(tenant, "GET", `${conversation}/messages`)).body.data[0].id}`,
      await made("/agents", { name: "Ada" }),
      `/knowledge-bases/${await newKnowledgeBase(tenant)}`,
      await made("/webhooks", { url: "https://example.com/", events: ["*"] }),
      `/events/${(await call(tenant, "GET", "/events")).body.data[0].id}`,
      "/account",
    ];
    for (const path of paths)
      expect([path, (await call(tenant, "GET", path)).headers.get("etag")]).toEqual([
        path,
        expect.any(String),
      ]);
    expect((await call(tenant, "GET", "/conversations")).headers.get("etag")).toBeNull();
    const missing = await call(
      tenant,
      "GET",
      "/customers/cus_00000000000000000000000000",
      undefined,
      { "if-none-match": "*" },
    );
    expect(missing.status).toBe(404);
  });
});
