import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { incompleteBodies } from "@/server/edge/connection";
import { createWebServer } from "@/server/web-server";
import { head, openRaw, type RawConnection, statusesIn } from "../support/raw-http";

/** A substitute for Next: responds with the body of the request, and to `/never` not at all. */
const served: (string | undefined)[] = [];
const servePages = async (request: IncomingMessage, response: ServerResponse) => {
  served.push(request.url);
  if (request.url === "/never") return;
  response.end(await text(request).catch(() => "broken"));
};
const server = createWebServer({ servePages, trustedProxyHops: 0 });
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test("pages get a body of up to 256 KiB complete and unchanged, however it arrives", async () => {
  const bodies = ["", "a", "x".repeat(256 * 1_024), "\u00e4".repeat(100_000)];
  for (const body of bodies) {
    expect(await (await fetch(`${url}/login`, { method: "POST", body })).text()).toBe(body);
    const init = { method: "POST", body: new Blob([body]).stream(), duplex: "half" } as RequestInit;
    expect(await (await fetch(`${url}/login`, init)).text()).toBe(body);
  }
});

test("pages never get a request before its body is complete, or one whose client disconnects", async () => {
  const { socket, until } = await openRaw(url);
  socket.write(head("POST /slow HTTP/1.1", { "Content-Length": 4, Expect: "100-continue" }));
  await until(/^HTTP\/1\.1 100 Continue/);
  socket.write("ab");
  const other = await fetch(`${url}/other`, { method: "POST", body: "c" });
  expect(await other.text()).toBe("c");
  expect(served).not.toContain("/slow");
  socket.write("cd");
  await until(/abcd$/);
  socket.destroy();

  const broken = await openRaw(url);
  broken.socket.end(`${head("POST /broken HTTP/1.1", { "Content-Length": 4 })}ab`);
  expect(statusesIn(await broken.ended)).toEqual([400]);
  expect(served).not.toContain("/broken");
});

const usual = { ...incompleteBodies };
afterEach(() => void Object.assign(incompleteBodies, usual));

/** Sends a body of which the last byte is missing. */
async function sendIncomplete(path: string, length: number, headers = {}): Promise<RawConnection> {
  const sender = await openRaw(url);
  sender.socket.write(
    head(`POST ${path} HTTP/1.1`, { ...headers, "Content-Length": length }) +
      "x".repeat(length - 1),
  );
  return sender;
}

test("bodies that never become complete cannot use up the memory: the largest are refused as late, and the oldest of them first", async () => {
  incompleteBodies.maximumBytes = 1_024 * 1_024;
  const small = await sendIncomplete("/slow", 2 * 1_024);
  const large: RawConnection[] = [];
  for (let index = 0; index < 8; index++) large.push(await sendIncomplete("/slow", 200 * 1_024));
  const [oldest, newest] = [large[0], large.at(-1)];
  await oldest?.until(/^HTTP\/1\.1 408 /);

  // Neither a smaller body nor a newer one of the same size is affected.
  for (const other of [small, newest]) {
    other?.socket.write("x");
    await other?.until(/^HTTP\/1\.1 200 /);
  }
  for (const { socket } of [small, ...large]) socket.destroy();
});

test("what arrives together with its head counts as incomplete, and complete bodies before it do not", async () => {
  incompleteBodies.maximumBytes = 256 * 1_024;
  const post = (length: number) => head("POST /slow HTTP/1.1", { "Content-Length": length });
  const reused = await openRaw(url);
  const complete = "y".repeat(250 * 1_024);
  for (let index = 1; index <= 3; index++) {
    reused.socket.write(post(complete.length) + complete);
    await expect.poll(() => reused.received().split(complete).length).toBe(index + 1);
  }
  reused.socket.write(`${post(3)}ab`);

  const senders: RawConnection[] = [];
  for (let index = 0; index < 32; index++) senders.push(await sendIncomplete("/slow", 10 * 1_024));
  await senders[0]?.until(/^HTTP\/1\.1 408 /);
  reused.socket.write("c");
  await reused.until(/abc$/);
  for (const { socket } of [reused, ...senders]) socket.destroy();
});

describe("a refusal that waits for the response to an earlier request", () => {
  /** Sends a request that gets no response, and then a body. @returns the server's view of the body */
  async function sendBehindPending(text: string) {
    const received: { request: IncomingMessage; response: ServerResponse }[] = [];
    const note = (request: IncomingMessage, response: ServerResponse) =>
      void received.push({ request, response });
    server.on("request", note);
    const { socket } = await openRaw(url);
    socket.write(head("GET /never HTTP/1.1", {}) + text);
    await expect.poll(() => received[1]?.response.headersSent).toBe(true);
    server.off("request", note);
    const [, refused] = received;
    if (!refused) throw new Error("the second request has not arrived");
    return { socket, ...refused };
  }

  test("is the only one if the client then disconnects", async () => {
    const uncaught: Error[] = [];
    const note = (error: Error) => void uncaught.push(error);
    process.on("uncaughtException", note);
    const tooLong = "x".repeat(256 * 1_024 + 1);
    const { socket, request } = await sendBehindPending(
      `${head("POST /refused HTTP/1.1", { "Transfer-Encoding": "chunked" })}${tooLong.length.toString(16)}\r\n${tooLong}\r\n`,
    );
    const closed = new Promise((resolve) => request.socket.once("close", resolve));
    socket.resetAndDestroy();
    await closed;
    expect(await (await fetch(`${url}/other`, { method: "POST", body: "c" })).text()).toBe("c");
    process.off("uncaughtException", note);
    expect(uncaught).toEqual([]);
  });

  test("is the only response if the rest of the body then arrives", async () => {
    incompleteBodies.maximumBytes = 1;
    const { socket, request } = await sendBehindPending(
      `${head("POST /refused HTTP/1.1", { "Content-Length": 4 })}abc`,
    );
    socket.write("d");
    await expect.poll(() => request.complete).toBe(true);
    expect(served).not.toContain("/refused");
    socket.destroy();
  });
});

test("a form that is sent to a page counts as an incomplete body, and an uploaded file does not", async () => {
  incompleteBodies.maximumBytes = 128 * 1_024;
  const form = { "Content-Type": "multipart/form-data; boundary=x" };
  const file = await sendIncomplete("/api/dashboard/acme/test/files", 300 * 1_024, form);
  const page = await sendIncomplete("/login", 250 * 1_024, form);
  await page.until(/^HTTP\/1\.1 408 /);
  page.socket.destroy();

  expect(file.received()).toBe("");
  file.socket.write("x");
  await file.until(/^HTTP\/1\.1 200 /);
  file.socket.destroy();
});

test("a second request on the connection of a held one gets its response after it", async () => {
  const { socket, ended } = await openRaw(url);
  const post = (path: string, body: string) =>
    head(`POST ${path} HTTP/1.1`, { "Content-Length": body.length }) + body;
  socket.end(post("/first", "one") + post("/second", "two"));
  const answered = await ended;
  expect(statusesIn(answered)).toEqual([200, 200]);
  expect(answered).toMatch(/one.*two$/s);
});

test("every route of the dashboard that receives a file gets it as it arrives, whatever its size", async () => {
  const directory = "app/api/dashboard";
  const uploads = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((file) => path.basename(file) === "route.ts")
    .filter((file) => readFileSync(path.join(directory, file), "utf8").includes("receiveUpload("))
    .map((file) => `/api/dashboard/${path.dirname(file).replaceAll(/\[\w+\]/g, "some-id")}`);
  expect(uploads.length).toBeGreaterThanOrEqual(3);
  const body = "x".repeat(300 * 1_024);
  for (const upload of uploads) {
    const response = await fetch(`${url}${upload}`, { method: "POST", body });
    expect([upload, response.status]).toEqual([upload, 200]);
    expect((await response.text()).length).toBe(body.length);
  }
  const other = await fetch(`${url}/api/dashboard/acme/test/api-call`, { method: "POST", body });
  expect(other.status).toBe(413);
});
