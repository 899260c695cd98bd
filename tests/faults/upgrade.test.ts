import { afterAll, beforeAll, expect, test } from "vitest";
import { newTenant } from "../support/api";
import { type RunningProcess, startWeb } from "../support/processes";
import { head, openRaw, statusesIn } from "../support/raw-http";

const offer = { Upgrade: "h2c", "HTTP2-Settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA" };

let web: RunningProcess & { url: string };
beforeAll(async () => {
  web = await startWeb();
});
afterAll(async () => {
  await web.end("SIGKILL");
});

test("200 over HTTP/1.1 for a request that offers an upgrade, also after a page was opened", async () => {
  const { key } = await newTenant();
  expect((await fetch(`${web.url}/login`)).status).toBe(200);

  for (const path of ["/v1/public/account", "/login"]) {
    const { socket, ended } = await openRaw(web.url);
    const headers = {
      Authorization: `Bearer ${key}`,
      Connection: "Upgrade, HTTP2-Settings, close",
      ...offer,
    };
    socket.write(head(`GET ${path} HTTP/1.1`, headers));
    expect([path, statusesIn(await ended)]).toEqual([path, [200]]);
  }
});
