import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { clientAddress, throttleAddress } from "@/lib/platform/client-address";
import { createWebServer } from "@/server/web-server";
import { openRaw } from "../support/raw-http";

const server = createWebServer({
  servePages: (request, response) => response.end(request.headers["x-forwarded-for"]),
  trustedProxyHops: 1,
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
afterAll(() => server.close());

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["203.0.113.9:54321", "203.0.113.9"],
  ["10.0.0.1, 203.0.113.9:54321", "203.0.113.9"],
  ["2001:db8::9", "2001:db8::9"],
  ["[2001:db8::9]", "2001:db8::9"],
  ["[2001:db8::9]:54321", "2001:db8::9"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["::FFFF:cb00:7109", "203.0.113.9"],
])(
  "a proxy that states %j names the client, whose attempts have a count of their own",
  async (stated, address) => {
    const reply = await fetch(url, { headers: { "x-forwarded-for": stated } });
    expect(await reply.text()).toBe(address);
    expect(clientAddress(stated)).toBe(address);
    expect(throttleAddress(clientAddress(stated))).not.toBe("unknown");
  },
);

test("the client is the last of 1,100 headers", async () => {
  const filler = Array.from({ length: 1_097 }, (_, index) => `h${index}: 1`).join("\r\n");
  const { socket, ended } = await openRaw(url);
  socket.write(
    `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${filler}\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n`,
  );
  expect(await ended).toMatch(/203\.0\.113\.9\b/);
});

test.each([
  ...["", "unknown", "203.0.113", "203.0.113.9:", "203.0.113.9:123456", "203.0.113.999:80"],
  ...["[203.0.113.9", "[]:80", "::ffff:", "x:80", "203.0.113.9:80:80"],
])("%j is no address", (stated) => {
  expect(clientAddress(stated)).toBeNull();
});
