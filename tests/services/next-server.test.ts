import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { attachToNextServer } from "@/server/edge/attach-to-next-server";
import { head, openRaw } from "../support/raw-http";

test("all headers of the first connection, which attaches the edge to Next's own server, are read", async () => {
  attachToNextServer();
  const server = createServer((request, response) => response.end(request.headers["x-last"]));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const filler = Array.from({ length: 1_100 }, (_, index) => [`h${index}`, "1"]);
  const headers = { Connection: "close", ...Object.fromEntries(filler), "X-Last": "the last" };
  const { socket, ended } = await openRaw(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  socket.write(head("GET /login HTTP/1.1", headers));
  expect(await ended).toContain("the last");
  server.close();
});
