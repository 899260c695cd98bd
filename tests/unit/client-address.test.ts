import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { clientAddress, throttleAddress } from "@/lib/platform/client-address";
import { createWebServer } from "@/server/web-server";

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

test.each([
  ...["", "unknown", "203.0.113", "203.0.113.9:", "203.0.113.9:123456", "203.0.113.999:80"],
  ...["[203.0.113.9", "[]:80", "::ffff:", "x:80", "203.0.113.9:80:80"],
])("%j is no address", (stated) => {
  expect(clientAddress(stated)).toBeNull();
});
