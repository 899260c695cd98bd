import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { env } from "@/lib/platform/env";
import { isBlockedHost } from "@/lib/platform/outbound-http/blocked-addresses";
import { outboundRequest } from "@/lib/platform/outbound-http/outbound-request";
import { findUrlProblem } from "@/lib/webhooks/webhook-url";
import { watchConnectionAttempts } from "../support/connection-attempts";
import { startNameServer } from "../support/name-server";
import { type Receiver, startReceiver } from "../support/receiver";

// As in production: nothing private is opened. The environment is parsed at the first call, which
// comes later.
process.env.WEBHOOK_ALLOWED_PRIVATE_CIDRS = "";

const post = (url: string, timeoutMs = 60_000) =>
  outboundRequest({ connectionKey: "whk", url, headers: [], body: "{}" }, { timeoutMs });

let nameServer: Awaited<ReturnType<typeof startNameServer>>;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  nameServer = await startNameServer({
    "loopback.example.com": ["127.0.0.1"],
    "mixed.example.com": ["93.184.216.34", "127.0.0.1"],
    "mixed6.example.com": ["93.184.216.34", "fd00::1"],
    "metadata.example.com": ["169.254.169.254"],
    "mapped.example.com": ["::ffff:7f00:1"],
    "silent.example.com": null,
  });
});
afterAll(() => Promise.all([nameServer.close(), receiver.close()]));

let attempts: ReturnType<typeof watchConnectionAttempts>;
beforeEach(() => {
  attempts = watchConnectionAttempts();
});
afterEach(() => attempts.stop());

test("a connection attempt would be noticed, with TLS and without", async () => {
  const port = Number(new URL(receiver.url).port);
  for (const socket of [connect(port, "127.0.0.1"), connectTls({ port, host: "localhost" })]) {
    await new Promise((resolve) => socket.on("connect", resolve).on("error", resolve));
    socket.destroy();
  }
  expect(attempts.addresses).toEqual(["127.0.0.1", expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]);
});

const hostileHosts = [
  // Loopback, in every notation that a parser understands.
  "127.0.0.1",
  "127.0.0.1.",
  "127.1",
  "127.0.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0x7F.1",
  "0177.0.0.1",
  "017700000001",
  "0177.0x0.1",
  "１２７.０.０.１",
  "127。0。0。1",
  "①②⑦.0.0.1",
  "%31%32%37.0.0.1",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  // This host, and unspecified.
  "0.0.0.0",
  "0",
  "0.0.0.1",
  "0.255.255.255",
  "[::]",
  "[::ffff:0.0.0.0]",
  // Private networks.
  "10.0.0.1",
  "10.255.255.255",
  "167772161",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "192.168.255.255",
  "0xc0a80001",
  "100.64.0.1",
  "100.127.255.255",
  "[fc00::1]",
  "[fd12:3456:789a::1]",
  "[::ffff:10.0.0.1]",
  "[::ffff:192.168.0.1]",
  // Link-local and metadata.
  "169.254.0.1",
  "169.254.169.254",
  "2852039166",
  "0xa9fea9fe",
  "0251.0376.0251.0376",
  "169.254.170.2",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "[fe80::1]",
  "[febf::1]",
  "[fec0::1]",
  "[fd00:ec2::254]",
  "[fd20:ce::254]",
  "[::ffff:169.254.169.254]",
  "[::a9fe:a9fe]",
  "[64:ff9b::a9fe:a9fe]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b:1::1]",
  "[2002:7f00:1::]",
  "[2002:a9fe:a9fe::1]",
  "[2001::1]",
  "[2001:0:7f00:1::]",
  // Documentation, benchmarks, relays, multicast, reserved.
  "192.0.0.1",
  "192.0.2.1",
  "192.31.196.1",
  "192.52.193.1",
  "192.88.99.1",
  "192.175.48.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "[2001:db8::1]",
  "[3fff::1]",
  "[3fff:fff::1]",
  "[2620:4f:8000::1]",
  "[100::1]",
  "[5f00::1]",
  "[4000::1]",
  "[ff02::1]",
  // Names that lead inside.
  "localhost",
  "LOCALHOST",
  "localhost.",
  "foo.localhost",
  "intranet",
  "postgres",
  "printer.local",
  "metadata.google.internal",
  "router.lan",
  "nas.home.arpa",
  "hidden.onion",
  "host.localdomain",
  "wiki.corp",
  "nas.home",
  "wiki.intranet",
  "wiki.private",
  "kubernetes.default.svc",
  "app.test",
  "printer.local.",
];

test("the table has enough entries", () => {
  expect(new Set(hostileHosts).size).toBeGreaterThanOrEqual(80);
});

test.each(hostileHosts)(
  "https://%s is refused when it is given, and not connected to when it is called",
  async (host) => {
    const url = `https://${host}/hook`;
    expect(findUrlProblem(url, { environment: "live" })).toMatch(/^must be reachable/);
    expect(await post(url)).toEqual({
      errorCode: "blocked_address",
      durationMs: expect.any(Number),
    });
    expect(await post(`http://${host}:8080/`)).toEqual({
      errorCode: "blocked_address",
      durationMs: expect.any(Number),
    });
    expect(attempts.addresses).toEqual([]);
  },
);

test.each(["loopback", "mixed", "mixed6", "metadata", "mapped"])(
  "%s.example.com is blocked for what it resolves to",
  async (name) => {
    const { port } = new URL(receiver.url);
    expect(findUrlProblem(`https://${name}.example.com/hook`, { environment: "live" })).toBeNull();
    for (const protocol of ["http", "https"]) {
      expect(await post(`${protocol}://${name}.example.com:${port}/hook`)).toEqual({
        errorCode: "blocked_address",
        durationMs: expect.any(Number),
      });
    }
    expect(attempts.addresses).toEqual([]);
  },
);

test("a missing name is dns_error, and a silent name server delays no one past the deadline", async () => {
  expect(await post("https://missing.example.com/")).toMatchObject({ errorCode: "dns_error" });
  const silent = await post("https://silent.example.com/", 1_000);
  expect("errorCode" in silent && silent.errorCode).toMatch(/^(dns_error|timeout)$/);
});

test.each([
  ["not a url", /complete URL/],
  ["", /complete URL/],
  ["//example.com", /complete URL/],
  ["https://", /complete URL/],
  ["https://exa\nmple.com/", /complete URL/],
  ["https://[fe80::1%25eth0]/", /complete URL/],
  ["https://[::1/", /complete URL/],
  ["https://256.256.256.256/", /complete URL/],
  ["http://example.com/", /https/],
  ["ftp://example.com/", /https/],
  ["file:///etc/passwd", /https/],
  ["gopher://example.com/", /https/],
  ["javascript:alert(1)", /https/],
  ["data:text/plain,x", /https/],
  ["https://user:password@example.com/", /password/],
  ["https://user@example.com/", /user name/],
  ["https://example.com@127.0.0.1/", /user name/],
  [`https://example.com/${"x".repeat(2_048)}`, /2,048/],
])("%j cannot be a webhook's address", (url, problem) => {
  expect(findUrlProblem(url, { environment: "live" })).toMatch(problem);
});

test("http is for test mode, and for live mode only while a private network is opened", () => {
  const problemIn = (environment: "test" | "live") =>
    findUrlProblem("http://example.com/hook", { environment });
  expect(problemIn("test")).toBeNull();
  expect(problemIn("live")).toBe("must start with https://");
  env().WEBHOOK_ALLOWED_PRIVATE_CIDRS = ["10.0.0.0/8"];
  expect(problemIn("live")).toBeNull();
  env().WEBHOOK_ALLOWED_PRIVATE_CIDRS = [];
  expect(problemIn("live")).toBe("must start with https://");
});

const publicUrls = [
  "https://example.com/hook",
  "https://example.com:8443/a?b=c",
  "HTTPS://EXAMPLE.COM/",
  "https://example.com./",
  "https://xn--nxasmq6b.example.com/",
  "https://bücher.example/",
  "https://local.example.com/",
  "https://localhost.example.com/",
  "https://internal-tools.example.com/",
  "https://10.0.0.1.nip.example/",
  "https://127.example.com/",
  // Addresses next to the closed ranges.
  "https://1.1.1.1/",
  "https://8.8.8.8/",
  "https://9.255.255.255/",
  "https://11.0.0.0/",
  "https://93.184.216.34/",
  "https://100.63.255.255/",
  "https://100.128.0.1/",
  "https://126.255.255.255/",
  "https://128.0.0.1/",
  "https://169.253.255.255/",
  "https://172.15.255.255/",
  "https://172.32.0.1/",
  "https://192.167.255.255/",
  "https://198.17.255.255/",
  "https://198.20.0.0/",
  "https://223.255.255.255/",
  "https://134744072/",
  "https://[2001:200::1]/",
  "https://[2003::1]/",
  "https://[2606:4700:4700::1111]/",
  "https://[2a00:1450:4001::1]/",
];

test.each(publicUrls)("%s can, and nothing would keep it from being called", (url) => {
  expect(findUrlProblem(url, { environment: "live" })).toBeNull();
  expect(isBlockedHost(new URL(url).hostname)).toBe(false);
});

test("http is allowed in the test environment, as long as no private network is opened", () => {
  expect(findUrlProblem("http://example.com/", { environment: "test" })).toBeNull();
});

test("only http and https are allowed", async () => {
  for (const url of ["ftp://example.com/", "file:///etc/passwd", "nonsense"])
    expect(await post(url)).toMatchObject({ errorCode: "invalid_url" });
  expect(attempts.addresses).toEqual([]);
});
